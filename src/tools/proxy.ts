import { readProxyConfig } from "../config.ts";
import { startRestProxy } from "../discord/rest/rest-proxy.ts";
import { configOrExit, loadConfig } from "../load-config.ts";
import { ListenError } from "../operations/listen.ts";
import { createLog } from "../operations/log.ts";
import { createShutdown, endAtSignals } from "../operations/shutdown.ts";

const config = await configOrExit(() => loadConfig(readProxyConfig));
const { discordToken: token, discordApiUrl: apiUrl, discordRequestsPerSecond: perSecond, http, logLevel } = config;
const log = createLog(logLevel);
const shutdown = createShutdown(log);
const { end } = endAtSignals(log, shutdown);

for (const warning of config.warnings) log.warn({}, warning);
try {
  const proxy = await startRestProxy({ token, apiUrl, perSecond, ...http, log });
  // If the shutdown cuts off a request, the client process repeats it.
  shutdown.add({ proxy: () => proxy.close() });
  log.info({ ...http }, "ready: set DISCORD_API_URL of the bot's processes to http://host:port/api here");
} catch (error) {
  const reason = error instanceof ListenError ? error.message : "internal";
  log.error({ err: error }, `The proxy could not start: ${reason}`);
  await end(1);
}
