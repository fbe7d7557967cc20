import { startRestProxy } from "../discord/rest/rest-proxy.ts";
import { configOrExit, loadProxyConfig } from "../load-config.ts";
import { exit } from "../operations/exit.ts";
import { ListenError } from "../operations/listen.ts";
import { createLog } from "../operations/log.ts";
import { createShutdown } from "../operations/shutdown.ts";

/**
 * Time limit of the shutdown. The whole process ends within 10 s, as the bot does. Clients repeat the requests that are
 * cut off.
 */
const shutdownDeadlineMs = 9_000;

const config = await configOrExit(loadProxyConfig);
const { discordToken: token, discordApiUrl: apiUrl, discordRequestsPerSecond: perSecond, http, logLevel } = config;
const log = createLog({ level: logLevel, terminal: process.stdout.isTTY });
const shutdown = createShutdown({ log, deadlineMs: shutdownDeadlineMs });

for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    log.info({ signal: name }, "ending");
    void shutdown.run().then((code) => exit(code));
  });
}
// Without this handler Node would print the error with all its fields, for example requests with the token.
process.on("uncaughtException", (error) => {
  log.fatal({ err: error }, "an error that nobody caught ends the proxy; nothing is lost, start it again");
  exit(1);
});

for (const warning of config.warnings) log.warn({}, warning);
try {
  const proxy = await startRestProxy({ token, apiUrl, perSecond, ...http, log });
  shutdown.add("proxy", () => proxy.close());
  log.info({ ...http }, "ready: set DISCORD_API_URL of the bot's processes to http://host:port/api here");
} catch (error) {
  const reason = error instanceof ListenError ? error.message : "internal";
  log.error({ err: error }, `The proxy could not start: ${reason}`);
  exit(1);
}
