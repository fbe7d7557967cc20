// Preloaded into a bot (NODE_OPTIONS=--import=…): at SIGUSR2 it causes the fault that FAULT names.
const faults = {
  /** One signal causes both, because two signals may arrive in the wrong order. */
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
  block() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
  },
};

process.on("SIGUSR2", faults[process.env.FAULT]);
