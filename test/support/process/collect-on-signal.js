// Preloaded into a bot with --expose-gc (NODE_OPTIONS): at SIGUSR2 it collects all garbage and prints what is left, in bytes.
let collections = 0;
process.on("SIGUSR2", () => {
  globalThis.gc();
  const { rss, heapUsed } = process.memoryUsage();
  collections += 1;
  console.log(JSON.stringify({ collection: collections, rss, heapUsed }));
});
