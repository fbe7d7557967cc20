import { registerHooks } from "node:module";
import { installDigests } from "./digests.ts";
import { installRandomness } from "./randomness.ts";
import { currentOwner, installTime } from "./virtual-time.ts";
import { installStorage } from "./world/storage.ts";

// It draws charts in threads of its own, which know nothing of virtual time.
const picture = `export const renderAsync = async () => ({ asPng: () => Buffer.from("a chart") });`;

installTime();
installRandomness(() => currentOwner()?.random);
installStorage();
installDigests();
const cron = new URL("cron.ts", import.meta.url).href;
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "@resvg/resvg-js")
      return { url: `data:text/javascript,${encodeURIComponent(picture)}`, shortCircuit: true };
    return specifier === "node-cron" && context.parentURL !== cron ? next(cron, context) : next(specifier, context);
  },
});
