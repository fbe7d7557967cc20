import manifest from "../../package.json" with { type: "json" };

/** The running version, such as 0.1.0. */
export const shopbellVersion: string = manifest.version;
