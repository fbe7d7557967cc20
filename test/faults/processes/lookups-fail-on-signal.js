// Preloaded into a bot (NODE_OPTIONS=--import=…): from SIGUSR2 on no name of a host is found, as where the nameserver is gone,
// and from the next one on they are found again.
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const { lookup } = dns;
let isGone = false;

dns.lookup = (hostname, options, done = options) => {
  if (!isGone) return lookup(hostname, options, done);
  const fields = { errno: -3001, code: "EAI_AGAIN", syscall: "getaddrinfo", hostname };
  setImmediate(done, Object.assign(new Error(`getaddrinfo EAI_AGAIN ${hostname}`), fields));
};
syncBuiltinESMExports();

process.on("SIGUSR2", () => {
  isGone = !isGone;
});
