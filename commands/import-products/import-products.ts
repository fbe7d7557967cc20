import type { APIAttachment } from "@discordjs/core";
import { folded } from "../../src/basics/folded.ts";
import type { Locale } from "../../src/basics/locale.ts";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { defineCommand, execute } from "../../src/discord/commands/define-command.ts";
import type { Reply } from "../../src/discord/commands/reply.ts";
import type { Services } from "../../src/discord/commands/services.ts";
import type { Upload } from "../../src/discord/commands/uploads.ts";
import type { Guild } from "../../src/guilds/guild.ts";
import { texts } from "../../src/locales/texts.ts";
import { type Cell, csvHead, csvOf } from "../../src/reports/csv.ts";
import type { ImportRecord } from "../../src/reports/import-records.ts";
import { countsOf, type ImportRow, type RowOutcome, runImport } from "../../src/reports/run-import.ts";
import { findCreated, hasAny } from "../../src/store-queries/find-product.ts";
import { habitsOf } from "../../src/store-queries/price.ts";
import { notice } from "../../src/views/parts/notice.ts";
import type { MessagePayload, PayloadFile } from "../../src/views/parts/payload.ts";
import { ProblemError, problemText } from "../../src/views/parts/problem.ts";
import {
  type ImportProblem,
  type ImportProgress,
  importDone,
  importOver,
  importPreview,
  importProblems,
  importProgress,
} from "../../src/views/reports/import.ts";
import { type ReadFile, readProducts } from "./rows.ts";

const storeOf = ({ token }: Guild) => String(token?.since);

async function withFile<T>(
  file: Upload,
  { guild, caller, services }: { readonly guild: Guild; readonly caller: Caller; readonly services: Services },
  use: (read: ReadFile) => Promise<T>,
): Promise<T> {
  using _place = services.readingLimit.acquire(caller);
  return await use(await readProducts(await services.uploads.readText(file, "import"), habitsOf(guild.settings)));
}

/**
 * If the store has a product that was recorded with another token, only the token has changed, and not the store. So the
 * records of the other token are valid.
 */
async function knownHere(
  { guildId }: Caller,
  rows: readonly ImportRow[],
  { connected, importRecords }: Services,
): Promise<ReadonlyMap<string, ImportRecord>> {
  const { guild, store } = await connected();
  const records = await importRecords.of(
    guildId,
    rows.map(({ key }) => key),
  );
  const created = rows.flatMap(({ key, product }) => {
    const record = records.get(key);
    return record?.state === "created" ? [{ key, id: record.id, title: product.info.title, of: record.store }] : [];
  });
  const known = new Map(records);
  for (const [of, products] of Map.groupBy(created, (one) => one.of)) {
    if (of === storeOf(guild) || (await hasAny(store, products))) continue;
    for (const { key } of products) known.delete(key);
  }
  return known;
}

function fileOf(name: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): PayloadFile {
  const data = Buffer.from(csvHead(columns) + csvOf(rows));
  return { name: `${name}.csv`, contentType: "text/csv; charset=utf-8", data };
}

export function problemsFile(problems: readonly ImportProblem[], locale: Locale): PayloadFile {
  const { file, faults: say } = texts(locale).imports;
  const rows = problems.map(({ row, column, code }) => [row, column, say[code]]);
  return fileOf("import-problems", [file.row, file.column, file.problem], rows);
}

export function resultFile(
  rows: readonly ImportRow[],
  outcomes: ReadonlyMap<string, RowOutcome>,
  locale: Locale,
): PayloadFile {
  const { file } = texts(locale).imports;
  function cells({ row, key, product }: ImportRow): Cell[] {
    const outcome = outcomes.get(key);
    const start = [row, product.info.title];
    if (outcome === undefined) return [...start, file.open, "", ""];
    if (outcome.state === "created") return [...start, outcome.isNew ? file.created : file.before, outcome.id, ""];
    if (outcome.state === "unclear") return [...start, file.unclear, "", ""];
    return [...start, file.refused, "", problemText(outcome.problem, locale)];
  }
  const columns = [file.row, file.title, file.result, "id", file.problem];
  return fileOf("import-result", columns, rows.map(cells));
}

async function preview({ url, size }: APIAttachment, caller: Caller, services: Services): Promise<MessagePayload> {
  const { locale } = caller;
  const { guild, view, cache } = await services.connected();
  // Only two files may be in memory at a time, and the store may be slow. So the products are read before the file. If the
  // products cannot be read, no titles are compared.
  const newest = await cache.recentProducts().catch(() => []);
  const titles = new Set(newest.map(({ info }) => folded(info.title)));
  return withFile({ url, size }, { guild, caller, services }, async (file) => {
    const { rows, problems, withId, unknown, doubtful, digest } = file;
    if (problems.length > 0) return importProblems(problems, problemsFile(problems, locale), locale);
    const records = await knownHere(caller, rows, services);
    const stateOf = (key: string) => records.get(key)?.state;
    const left = rows.filter(({ key }) => stateOf(key) !== "created");
    const isNeeded = left.length > 0;
    const session = isNeeded ? await services.importFiles.keep(caller, { url, bytes: size, digest }) : undefined;
    const seen = {
      first: left,
      all: rows.length,
      before: rows.length - left.length,
      unclear: left.filter(({ key }) => stateOf(key) === "sent").length,
      alike: left.filter(({ row, product }) => withId.has(row) || titles.has(folded(product.info.title))).length,
      unknown,
      doubtful,
    };
    return importPreview(session, seen, view);
  });
}

async function create(session: string, caller: Caller, services: Services, reply: Reply): Promise<MessagePayload> {
  const { guildId, locale } = caller;
  const { importRecords, importFiles, importLimit, now } = services;
  const { url, bytes, digest } = await importFiles.find(session, caller);
  const { guild, store } = await services.connected();
  using _place = importLimit.acquire(caller);
  await using ends = new AsyncDisposableStack();
  const file = await withFile({ url, size: bytes }, { guild, caller, services }, async (read) => read);
  const { rows } = file;
  // The person has confirmed only the products that the preview showed.
  if (file.problems.length > 0 || file.digest !== digest) throw new ProblemError({ code: "import_changed" });
  const run = await importRecords.begin(
    guildId,
    storeOf(guild),
    rows.map(({ key }) => key),
  );
  ends.defer(() => run.end().then(undefined, () => undefined));
  const show = (progress: ImportProgress) => reply.show(importProgress({ session, run: run.name }, progress, locale));
  const records = await knownHere(caller, rows, services);
  const left = rows.filter(({ key }) => records.get(key)?.state !== "created").length;
  await services.auditLog.note(caller, { did: "import_begun", what: String(left) });
  const before = rows.length - left;
  await show({ all: rows.length, created: 0, before, refused: 0, unclear: 0, leftMs: 0 }).catch(() => undefined);
  const { end, outcomes } = await runImport(rows, {
    ...reply,
    run,
    records,
    create: (product) => store.createProduct(product),
    find: (product, since, not) => findCreated(store, product, since, now, not),
    waitMs: () => importLimit.waitMs(guildId),
    watcher: { show },
    now,
  });
  const counts = countsOf(rows, outcomes);
  services.log.info({ guild: guildId, created: counts.created, of: counts.all }, "products were imported");
  const isDone = counts.created + counts.before + counts.refused === counts.all;
  if (isDone) await importFiles.take(session, caller).catch(() => undefined);
  return importDone(isDone ? undefined : session, { ...counts, end }, resultFile(rows, outcomes, locale), locale);
}

export const importProducts = defineCommand("import-products", {
  execute: execute({
    options: { file: { kind: "attachment", required: true } },
    run: (caller, services) => preview(caller.options.file, caller, services),
  }),

  handlers: {
    buttons: {
      create: (press, services, reply) => create(press.args.session, press, services, reply),
      async discard(press, services) {
        await services.importFiles.take(press.args.session, press);
        return notice(texts(press.locale).imports.discarded);
      },
      cancel: {
        // A separate answer, because the message with this button later shows the import's result.
        answer: "ephemeral",
        async run(press, services) {
          const { session, run } = press.args;
          const { guildId, locale } = press;
          await services.importFiles.find(session, press);
          return (await services.importRecords.stop(guildId, run))
            ? notice(texts(locale).imports.stopping)
            : importOver(session, locale);
        },
      },
    },
  },
});
