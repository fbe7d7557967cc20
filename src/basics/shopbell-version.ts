import manifest from "../../package.json" with { type: "json" };

export const shopbellVersion: string = manifest.version;
