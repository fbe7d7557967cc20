import type { APIAttachment } from "@discordjs/core";
import type { Caller } from "../../src/discord/caller.ts";
import type { Reply } from "../../src/discord/reply.ts";
import { UploadError, type UploadErrorCode, type Uploads } from "../../src/discord/uploads.ts";
import { type ImportRun, importKeys } from "../../src/reports/import-records.ts";
import { countsOf, runImport } from "../../src/reports/run-import.ts";
import { defineCommand, execute, handle, type Services } from "../../src/services.ts";
import { findCreated } from "../../src/store-queries/find-product.ts";
import { habitsOf } from "../../src/store-queries/price.ts";
import { callerView } from "../../src/views/context.ts";
import { customIds } from "../../src/views/custom-ids.ts";
import {
  importDiscarded,
  importDone,
  importFaults,
  importOver,
  importPreview,
  importProgress,
  importStopping,
} from "../../src/views/import.ts";
import type { MessagePayload } from "../../src/views/payload.ts";
import { ProblemError } from "../../src/views/problem.ts";
import { faultsFile, resultFile } from "./files.ts";
import { knownHere, storeOf } from "./known-here.ts";
import { readProducts } from "./rows.ts";

const maxBytes = 1_048_576;

const uploadProblems = {
  foreign_host: "import_unread",
  unreadable: "import_unread",
  too_large: "import_too_large",
  not_text: "import_not_text",
} as const satisfies Record<UploadErrorCode, string>;

async function textOf(file: APIAttachment, uploads: Uploads): Promise<string> {
  try {
    return await uploads.readText(file, maxBytes);
  } catch (error) {
    throw error instanceof UploadError ? new ProblemError({ code: uploadProblems[error.code] }) : error;
  }
}

/** What is wrong with a file, or a preview of it with the button that creates its products. */
async function preview(file: APIAttachment, caller: Caller, services: Services): Promise<MessagePayload> {
  const { guildId, locale } = caller;
  const { guild } = await services.connected(guildId);
  const text = await textOf(file, services.uploads);
  const { rows: read, faults, unknown, doubtful } = await readProducts(text, habitsOf(guild.settings));
  if (faults.length > 0) return importFaults(faults, faultsFile(faults, locale), locale);
  const keys = importKeys(read.map(({ product }) => product));
  const rows = read.map((one, at) => ({ ...one, key: keys[at] ?? "" }));
  const records = await knownHere(caller, rows, services);
  const stateOf = (key: string) => records.get(key)?.state;
  const left = rows.filter(({ key }) => stateOf(key) !== "created");
  const session = left.length === 0 ? undefined : await services.importPlans.keep(caller, { rows });
  const seen = {
    first: left,
    all: rows.length,
    before: rows.length - left.length,
    unclear: left.filter(({ key }) => stateOf(key) === "sent").length,
    unknown,
    doubtful,
  };
  return importPreview(session, seen, callerView(guild.settings, locale));
}

/** Creates what is left of a plan, and says what became of each row. */
async function create(session: string, caller: Caller, services: Services, reply: Reply): Promise<MessagePayload> {
  const { guildId, locale } = caller;
  const { importRecords, importPlans, importPlaces, now } = services;
  const { rows } = await importPlans.find(session, caller);
  const { guild, store } = await services.connected(guildId);
  const leave = importPlaces.enter(caller);
  let run: ImportRun | undefined;
  try {
    run = await importRecords.begin(
      guildId,
      storeOf(guild),
      rows.map(({ key }) => key),
    );
    const { name } = run;
    const show = (progress: Parameters<typeof importProgress>[1]) =>
      reply.show(importProgress({ session, run: name }, progress, locale));
    const records = await knownHere(caller, rows, services);
    const left = rows.filter(({ key }) => records.get(key)?.state !== "created").length;
    await services.trail.note(caller, { did: "import_begun", what: String(left) });
    const before = rows.length - left;
    await show({ all: rows.length, created: 0, before, refused: 0, unclear: 0, leftMs: 0 }).catch(() => undefined);
    const { end, outcomes } = await runImport(rows, {
      run,
      records,
      create: (product) => store.createProduct(product),
      find: (product, since, not) => findCreated(store, product, since, now, not),
      lateMs: () => importPlaces.lateMs(guildId),
      watcher: { show },
      until: reply.until,
      ending: reply.ending,
      now,
    });
    const counts = countsOf(rows, outcomes);
    services.log.info({ guild: guildId, created: counts.created, of: counts.all }, "products were imported");
    const isDone = counts.created + counts.before + counts.refused === counts.all;
    if (isDone) await importPlans.take(session, caller).catch(() => undefined);
    return importDone(isDone ? undefined : session, { ...counts, end }, resultFile(rows, outcomes, locale), locale);
  } finally {
    leave();
    await run?.end().catch(() => undefined);
  }
}

export const importProducts = defineCommand("import-products", {
  execute: execute({
    options: { file: { kind: "attachment", required: true } },
    answer: "ephemeral",
    run: (caller, services) => preview(caller.options.file, caller, services),
  }),

  handlers: handle(customIds["import-products"], {
    buttons: {
      create: {
        answer: "update",
        run: (press, services, reply) => create(press.args.session, press, services, reply),
      },
      discard: {
        answer: "update",
        async run(press, services) {
          await services.importPlans.take(press.args.session, press);
          return importDiscarded(press.locale);
        },
      },
      cancel: {
        // Beside the import's own message, which says in the end what became of it.
        answer: "ephemeral",
        async run(press, services) {
          const { session, run } = press.args;
          const { guildId, locale } = press;
          const { rows } = await services.importPlans.find(session, press);
          if (await services.importRecords.stop(guildId, run)) return importStopping(locale);
          const records = await services.importRecords.of(
            guildId,
            rows.map(({ key }) => key),
          );
          const left = rows.filter(({ key }) => records.get(key)?.state !== "created").length;
          return importOver(session, left, locale);
        },
      },
    },
    menus: {},
    windows: {},
  }),
});
