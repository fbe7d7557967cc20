const rooms = {
  start: "^src/start\\.js$",
  main: "^src/main\\.ts$",
  firstStart: "^src/first-start/",
  commands: "^commands/",
  discord: "^src/discord/",
  alerts: "^src/alerts/",
  guilds: "^src/guilds/",
  views: "^src/views/",
  floor0: "^src/(store-api|storage|operations)/|^src/config\\.ts$",
};

const never = (name, from, to, comment) => ({ name, severity: "error", comment, from, to });
const library = (name, packages, homes) =>
  never(
    `library-${name}`,
    { path: "^(src|commands)/", pathNot: homes },
    { path: `node_modules/(${packages})/` },
    `${name} stays in its room`,
  );

export default {
  forbidden: [
    never("no-cycles", {}, { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } }, "imports run one way"),
    never(
      "no-tests-in-product",
      { path: "^(src|commands)/" },
      { path: "^test/" },
      "the product never imports its tests",
    ),
    never("nothing-imports-main", { pathNot: rooms.start }, { path: rooms.main }, "main is the top floor"),
    never("floor-4-first-start", { path: rooms.firstStart }, { path: rooms.commands }, "rooms of floor 4 stay apart"),
    never(
      "first-start-is-asked-for",
      { path: "^(src|commands)/", pathNot: [rooms.main, rooms.firstStart] },
      { path: rooms.firstStart },
      "only main starts",
    ),
    never("floor-3", { path: rooms.discord }, { path: rooms.commands }, "discord imports only floors below it"),
    never(
      "floor-2",
      { path: rooms.alerts },
      { path: [rooms.commands, rooms.discord] },
      "alerts import only floors below",
    ),
    never(
      "floor-1-guilds",
      { path: rooms.guilds },
      { path: [rooms.commands, rooms.discord, rooms.alerts, rooms.views] },
      "guilds import only floor 0",
    ),
    never(
      "floor-1-views",
      { path: rooms.views },
      { path: [rooms.commands, rooms.discord, rooms.alerts, rooms.guilds] },
      "views import only floor 0",
    ),
    never(
      "floor-0",
      { path: "^src/(store-api|storage|operations)/" },
      { path: "^(src|commands)/", pathNot: "^src/($1|basics)/" },
      "rooms of floor 0 import nothing of ours but basics, not each other",
    ),
    never(
      "basics",
      { path: "^src/basics/" },
      { path: "^(src|commands)/", pathNot: "^src/basics/" },
      "basics import nothing of ours",
    ),
    never(
      "floor-0-config",
      { path: "^src/config\\.ts$" },
      { path: "^(src|commands)/" },
      "config imports nothing of ours",
    ),
    library("undici", "undici", "^src/store-api/"),
    library("keyv", "keyv|@keyv/[^/]+", "^src/storage/"),
    library("node-cron", "node-cron", "^src/alerts/schedule"),
    library(
      "discord.js",
      "discord\\.js|@discordjs/[^/]+",
      "^src/(discord|views|first-start)/|^commands/|^src/main\\.ts$",
    ),
    library("clack", "@clack/[^/]+", "^src/first-start/"),
    never(
      "discord.js-types-only",
      { path: "^(src|commands)/" },
      { path: "node_modules/discord\\.js/", dependencyTypesNot: ["type-only"] },
      "a value of discord.js loads all of it; @discordjs/core and @discordjs/rest have the same ones",
    ),
    library("pino", "pino|pino-pretty", "^src/operations/"),
    never("no-unresolved", {}, { couldNotResolve: true }, "every import leads somewhere"),
    never(
      "no-dev-in-product",
      { path: "^(src|commands)/" },
      { dependencyTypes: ["npm-dev"] },
      "the product needs no dev dependency",
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
