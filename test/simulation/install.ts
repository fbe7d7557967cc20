import { registerHooks } from "node:module";
import { installHashCache } from "./hash-cache.ts";
import { installRandomness } from "./randomness.ts";
import { currentOwner, installTime } from "./virtual-time.ts";
import { installStorage } from "./world/storage.ts";

// Replaces the library that draws charts. The library draws in its own threads, where real time passes.
const picture = `export const renderAsync = async () => ({ asPng: () => Buffer.from("a chart") });`;

installTime();
installRandomness(() => currentOwner()?.random);
installStorage();
installHashCache();
const cron = new URL("cron.ts", import.meta.url).href;
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "@resvg/resvg-js")
      return { url: `data:text/javascript,${encodeURIComponent(picture)}`, shortCircuit: true };
    return specifier === "node-cron" && context.parentURL !== cron ? next(cron, context) : next(specifier, context);
  },
});
