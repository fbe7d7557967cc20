import { registerHooks } from "node:module";
import { installRandomness } from "./randomness.ts";
import { currentOwner, installTime } from "./virtual-time.ts";
import { installStorage } from "./world/storage.ts";

// It draws charts in threads of its own, which know nothing of virtual time.
const picture = `export const renderAsync = async () => ({ asPng: () => Buffer.from("a chart") });`;

installTime();
installRandomness(() => currentOwner()?.random);
installStorage();
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "@resvg/resvg-js"
      ? { url: `data:text/javascript,${encodeURIComponent(picture)}`, shortCircuit: true }
      : next(specifier, context),
});
