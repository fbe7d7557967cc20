// Preloaded into a bot (NODE_OPTIONS=--import=…): at SIGUSR2 it does what FAULT says, as a fault of the bot's own would.
const faults = {
  throw() {
    setTimeout(() => {
      throw new Error("a planted fault");
    });
  },
  /** Two signals of which one comes after the other need not arrive so: this is one. */
  throwAfterSigterm() {
    process.emit("SIGTERM", "SIGTERM");
    throw new Error("a planted fault");
  },
  reject() {
    Promise.reject(new Error("a planted fault"));
  },
  hang() {
    for (;;);
  },
  /** For 5 s. */
  block() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
  },
};

process.on("SIGUSR2", faults[process.env.FAULT]);
