/** The folders of each layer, the lowest layer first. A folder imports only from lower layers. */
const layers = [
  { basics: "^src/basics/" },
  {
    locales: "^src/locales/",
    "store-api": "^src/store-api/",
    storage: "^src/storage/",
    operations: "^src/operations/",
    config: "^src/config\\.ts$",
  },
  { guilds: "^src/guilds/" },
  { views: "^src/views/" },
  {
    routing: "^src/routing/",
    reports: "^src/reports/",
    "store-queries": "^src/store-queries/",
    handling: "^src/handling/",
  },
  { orders: "^src/orders/" },
  { outbox: "^src/outbox/" },
  { baseline: "^src/baseline/" },
  { polling: "^src/polling/" },
  { alerts: "^src/alerts/" },
  { sessions: "^src/sessions/" },
  { discord: "^src/discord/" },
  { "forget-server": "^src/forget-server\\.ts$", "create-polling": "^src/create-polling\\.ts$" },
  {
    commands: "^commands/",
    "first-start": "^src/first-start/",
    doctor: "^src/doctor/",
    "load-config": "^src/load-config\\.ts$",
  },
  { process: "^src/process\\.ts$" },
  // The programs that an operator runs.
  { main: "^src/main\\.ts$", tools: "^src/tools/" },
];
const never = (name, from, to, comment) => ({ name, severity: "error", comment, from, to });

const layerRules = layers.flatMap((folders, layer) =>
  Object.entries(folders).flatMap(([folder, path]) => {
    const neighbours = Object.values(folders).filter((other) => other !== path);
    const forbidden = [...neighbours, ...layers.slice(layer + 1).flatMap(Object.values)];
    if (forbidden.length === 0) return [];
    return [
      never(`layer-${layer}-${folder}`, { path }, { path: forbidden }, `${folder} imports only from lower layers`),
    ];
  }),
);

const library = (name, packages, homes) =>
  never(
    `library-${name}`,
    { path: "^(src|commands)/", pathNot: homes },
    { path: `node_modules/(${packages})/` },
    `${name} is imported only in ${homes}`,
  );

export default {
  forbidden: [
    ...layerRules,
    never(
      "views-share-parts",
      { path: "^src/views/parts/" },
      { path: "^src/views/(?!parts/)" },
      "shared parts of views import no view",
    ),
    never("no-cycles", {}, { circular: true }, "there are no import cycles"),
    never(
      "every-file-in-a-folder",
      {},
      {
        path: "^(src|commands)/",
        pathNot: [...layers.flatMap(Object.values), "^src/start\\.js$"],
      },
      "each file of the product is in a folder of a layer",
    ),
    never(
      "no-tests-in-product",
      { path: "^(src|commands)/" },
      { path: "^test/" },
      "the product never imports its tests",
    ),
    never(
      "sandbox-is-a-package",
      { path: "^test/sandbox/" },
      { pathNot: ["^test/sandbox/", "^node_modules/"], dependencyTypesNot: ["core"] },
      "the sandbox could serve any bot's tests: it imports neither this bot nor its tests",
    ),
    never(
      "sandbox-lists-its-packages",
      { path: "^test/sandbox/" },
      { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
      "the sandbox imports only packages of its own package.json",
    ),
    never(
      "tests-share-by-support",
      { path: "^test/([^/]+)/" },
      { path: "^test/(unit|contract|e2e|bench|screens)/", pathNot: "^test/$1/" },
      "code that two folders of tests need is in test/support",
    ),
    never(
      "nothing-imports-main",
      { pathNot: "^src/start\\.js$" },
      { path: "^src/main\\.ts$" },
      "main is the top layer",
    ),
    never(
      "first-start-is-asked-for",
      { path: "^(src|commands)/", pathNot: ["^src/main\\.ts$", "^src/first-start/"] },
      { path: "^src/first-start/" },
      "only main imports the first start",
    ),
    never(
      "one-command-each",
      { path: "^commands/([^/]+?)(?:\\.ts|/)" },
      {
        path: "^commands/",
        pathNot: ["^commands/$1(?:\\.ts$|/)", "^commands/[^/]+\\.ts$|^commands/([^/]+)/\\1\\.ts$"],
      },
      "a command is a file or a folder of its own, and imports no parts of another command",
    ),
    never(
      "commands-are-listed-once",
      { path: "^commands/", pathNot: "^commands/index\\.ts$" },
      { path: "^commands/index\\.ts$" },
      "the list imports the commands",
    ),
    library("undici", "undici", "^src/store-api/"),
    library("keyv", "keyv|pg|ioredis", "^src/storage/"),
    library("bullmq", "bullmq", "^src/polling/partition-queue\\.ts$"),
    library("node-cron", "node-cron", "^src/basics/cron\\.ts$"),
    library(
      "discord.js",
      "discord\\.js|@discordjs/[^/]+",
      "^src/(discord|views|first-start|doctor)/|^commands/|^src/process\\.ts$",
    ),
    library("csv-stringify", "csv-stringify", "^src/reports/"),
    library("resvg", "@resvg/[^/]+|@expo-google-fonts/[^/]+", "^src/reports/picture\\.ts$"),
    library("clack", "@clack/[^/]+", "^src/first-start/"),
    never(
      "discord.js-types-only",
      { path: "^(src|commands)/" },
      { path: "node_modules/discord\\.js/", dependencyTypesNot: ["type-only"] },
      "importing a value of discord.js loads all of it; @discordjs/core and @discordjs/rest have the same values",
    ),
    library("prom-client", "prom-client", "^src/operations/"),
    library("pino", "pino|pino-pretty", "^src/operations/"),
    never("no-unresolved", {}, { couldNotResolve: true }, "every import can be resolved"),
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
