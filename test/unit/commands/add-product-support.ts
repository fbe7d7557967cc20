import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { APIAttachment } from "@discordjs/core";
import { expect } from "vitest";
import { addProduct } from "../../../commands/add-product/add-product.ts";
import type { Caller } from "../../../src/discord/commands/caller.ts";
import type { ModalPayload } from "../../../src/discord/commands/define-command.ts";
import { createServices } from "../../../src/discord/commands/services.ts";
import { createUploads } from "../../../src/discord/commands/uploads.ts";
import { createGuilds } from "../../../src/guilds/guilds.ts";
import { createVault } from "../../../src/guilds/vault.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { createStoreApi } from "../../../src/store-api/store-api.ts";
import type { MessagePayload } from "../../../src/views/parts/payload.ts";
import { listen } from "../../sandbox/listen.ts";
import { categories, startStore } from "../../sandbox/store/start-store.ts";
import { messageOf, pressJob, submitJob, typedJob, windowOf } from "../../support/command-jobs.ts";
import { stored } from "../../support/stored.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { buttonOf, expectAccepted, expectModalAccepted, nodes } from "../../support/views-support.ts";

export const STOCK = "GOODS-AAAA-1111\nGOODS-BBBB-2222\nGOODS-CCCC-3333";
export const owner: Caller = {
  guildId: "100000000000000001",
  channelId: "100000000000000002",
  userId: "100000000000000003",
  roleIds: [],
  permissions: 32n,
  locale: "en",
};
export const options = { title: "Moon Racer", price: 9.9, category: categories[0].id as string };

interface Filled {
  readonly fields?: Readonly<Record<string, string>>;
  readonly files?: readonly APIAttachment[];
}

/** As Discord's file host does. */
async function startFiles() {
  const files = new Map<string, string | Uint8Array>();
  const server = createServer((request, response) => {
    const content = files.get(request.url ?? "");
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  const url = `http://${await listen(server)}`;
  return {
    url,
    add(content: string | Uint8Array, filename: string): APIAttachment {
      const path = `/attachments/${files.size}`;
      files.set(path, content);
      const size = Buffer.byteLength(content);
      return { id: String(files.size), filename, size, url: url + path, proxy_url: url + path };
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Records everything logged, shown and thrown. Shown messages must be valid for Discord. */
function createWatch() {
  const seen: string[] = [];
  const note =
    (level: string) =>
    (...line: unknown[]) =>
      void seen.push(
        `${level} ${JSON.stringify(line, Object.getOwnPropertyNames(line[0] ?? {}))} ${JSON.stringify(line)}`,
      );
  return {
    seen,
    log: { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") },
    shown<T extends MessagePayload | ModalPayload>(payload: T): T {
      seen.push(JSON.stringify(payload));
      if ("flags" in payload) expectAccepted(payload);
      else expectModalAccepted(payload);
      return payload;
    },
    failed(error: unknown): never {
      seen.push(`${String(error)} ${JSON.stringify(error)} ${error instanceof Error ? error.stack : ""}`);
      throw error;
    },
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** What is shown and logged must not contain stock. */
async function openShop() {
  const { seen, log, shown, failed } = createWatch();
  const pretend = await startStore();
  const files = await startFiles();
  const storage = await openStorage("sqlite://:memory:", log);
  const vault = createVault([randomBytes(32)]);
  const guilds = createGuilds({ storage, vault });
  const api = createStoreApi({
    baseUrl: pretend.url,
    orderParams: { page: "page", limit: "limit", email: "email", status: "status" },
    log,
    retryBaseMs: 2,
  });
  await guilds.connect(owner.guildId, pretend.token);
  /** Milliseconds that the bot's clock is ahead. */
  const clock = { ahead: 0 };
  const now = () => Date.now() + clock.ahead;
  /** Another call is a restart, which keeps only the storage. */
  const start = () =>
    createServices({
      storage,
      vault,
      guilds,
      storeApi: api,
      alerts: undefined as never,
      inspectChannel: undefined as never,
      uploads: createUploads({ apiUrl: files.url }),
      forgetServer: undefined as never,
      storeHost: "store.example",
      pollIntervalMs: 15_000,
      log,
      now,
    }).for(owner);
  let services = start();

  const pressed = (message: MessagePayload, label: string, caller: Caller) => {
    return pressJob(addProduct, buttonOf(message, label)?.custom_id ?? "", caller);
  };

  const run = async (values: object = {}) => {
    return windowOf(typedJob(addProduct, undefined, owner, { ...options, ...values }), services).then(shown, failed);
  };
  const submit = async (modal: ModalPayload, { fields = {}, files: uploaded = [] }: Filled = {}) => {
    const typed = { ...prefilled(modal), ...fields };
    const job = submitJob(addProduct, modal.custom_id, owner, typed, { "stock-file": uploaded });
    return messageOf(job, services).then(shown, failed);
  };

  return {
    pretend,
    storage,
    /** As stored, and decrypted. */
    async kept() {
      const records: [string, { readonly sealed?: string }][] = [];
      const table = storage.table(stored<{ readonly sealed?: string }>(`drafts:${owner.guildId}`));
      for await (const { key: name, value: record } of table.rows()) records.push([name, record]);
      const opened = records.map(([name, { sealed = "" }]) => vault.open(sealed, `${owner.guildId} drafts ${name}`));
      return { stored: JSON.stringify(records), opened: opened.join("\n") };
    },
    services: () => services,
    seen,
    clock,
    run,
    submit,
    restart() {
      services = start();
    },
    async press(message: MessagePayload, label: string, caller = owner) {
      return messageOf(pressed(message, label, caller), services).then(shown, failed);
    },
    async pressForModal(message: MessagePayload, label: string) {
      return windowOf(pressed(message, label, owner), services).then(shown, failed);
    },
    /** Runs the command, fills in the modal, and returns the preview. */
    async preview(values: object = {}, filled: Filled = { fields: { stock: STOCK } }) {
      return submit(await run(values), filled);
    },
    upload: (content: string | Uint8Array) => files.add(content, "keys.txt"),
    creations: () => pretend.requests.filter(({ method }) => method === "POST").length,
    async close() {
      await api.close();
      await storage.close();
      await pretend.close();
      await files.close();
    },
  };
}

/** No time limit of the bot ends unless the test lets its time pass. A test fails if its stock was logged, shown or thrown. */
export function useShop(): Shop {
  const shop = useFixture(openShop, async ({ close, seen }) => {
    await close();
    expect(seen.join("\n")).not.toMatch(/GOODS|AAAA|BBBB/);
  });
  useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  return shop;
}

interface Input {
  readonly custom_id: string;
  readonly value?: string;
  readonly options?: readonly { readonly value: string; readonly default?: boolean }[];
}

/** By custom id. A person who changes nothing submits these values. */
export function prefilled(modal: ModalPayload): Record<string, string> {
  const inputs = modal.components.flatMap((part) => ("component" in part ? [part.component as unknown as Input] : []));
  return Object.fromEntries(
    inputs
      .filter(({ custom_id }) => custom_id !== "stock-file")
      .map((input) => [input.custom_id, input.value ?? input.options?.find((option) => option.default)?.value ?? ""]),
  );
}

export const buttonsOf = (message: MessagePayload) =>
  nodes(message).flatMap((node) => (node.type === 2 && node.label ? [node.label] : []));
