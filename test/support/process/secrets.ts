import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { PretendDiscord } from "../../sandbox/discord/discord.ts";
import type { PretendStore } from "../../sandbox/store/start-store.ts";
import type { Searched, Secret } from "./leaks.ts";

export interface Traces {
  readonly discord: PretendDiscord;
  readonly store: PretendStore;
  readonly directory: string;
  readonly outputs: readonly string[];
}

const keyFile = join("data", "secret.key");
const nowhere = ["log", "Discord", "store", "disk"] as const;
/** All places except the store, which sends or receives the secret. */
const notOutside = ["log", "Discord", "disk"] as const;
/** A key with fewer different bytes is searched for only in base64, because its bytes may be in a file by chance. */
const tellingBytes = 8;

const fromStore: readonly Secret[] = [
  { what: "delivered goods", text: "GOODS-", notIn: notOutside },
  { what: "a buyer's address", text: "203.0.113.7", notIn: notOutside },
  { what: "a refusal's body", text: "Refused-Body-Noise", notIn: notOutside },
  { what: "noise of the store", text: "SECRET-NOISE", notIn: notOutside },
];

function* typedIn(value: unknown): Generator<readonly [field: string, text: string]> {
  if (typeof value !== "object" || value === null) return;
  const { custom_id: field, value: text } = value as { custom_id?: unknown; value?: unknown };
  if (typeof field === "string" && typeof text === "string") yield [field, text];
  for (const inner of Object.values(value)) yield* typedIn(inner);
}

const stock = (text: string): Secret[] =>
  [text, ...text.split("\n").map((line) => line.trim())].map((part) => ({
    what: "stock",
    text: part,
    notIn: notOutside,
  }));

/** Collects from now on the API tokens and the stock that people type into windows. */
export function rememberTyped(discord: PretendDiscord): readonly Secret[] {
  const typed: Secret[] = [];
  discord.on("dispatch", ({ t, d }) => {
    if (t !== "INTERACTION_CREATE") return;
    for (const [field, text] of typedIn(d.data)) {
      if (field === "token") typed.push({ what: "a typed API token", text, notIn: notOutside });
      if (field === "stock") typed.push(...stock(text));
    }
  });
  return typed;
}

/** Base64 keys, separated by commas, as in `SECRET_KEYS` and the key file. */
export function keysIn(text: string): Secret[] {
  const keys = text.split(",").map((key) => key.trim());
  return keys.flatMap((key) => {
    const bytes = Buffer.from(key, "base64");
    const forms = new Set(bytes).size < tellingBytes ? [key] : [key, bytes, bytes.toString("hex")];
    return forms.map((form) => ({ what: "a secret key", text: form, notIn: nowhere }));
  });
}

/** The last part of the token, which nobody can guess. */
export function botToken(token: string): Secret {
  return { what: "the Discord token", text: token.split(".").at(-1) ?? token, notIn: nowhere };
}

export async function secretsOf({ discord, store, directory }: Traces): Promise<Secret[]> {
  const key = await readFile(join(directory, keyFile), "utf8").catch(() => "");
  const people = store.shops.flatMap(({ orders }) => orders.map(({ customer }) => customer));
  // Many orders have the same few names.
  const names = new Set(people.map(({ name }) => name));
  const emails = new Set(people.map(({ email }) => email));
  return [
    botToken(discord.token),
    ...keysIn(key),
    ...store.shops.flatMap(({ everyToken }) =>
      [...everyToken].map((text): Secret => ({ what: "a store's API token", text, notIn: notOutside })),
    ),
    ...fromStore,
    ...discord.uploads.flatMap(({ bytes }) => stock(bytes.toString())),
    ...[...names].map((text): Secret => ({ what: "a customer's name", text, notIn: ["log", "disk"] })),
    ...[...emails].map((text): Secret => ({ what: "a customer's e-mail", text, notIn: ["log", "disk"] })),
  ];
}

/** Everything to search, except the key file, where the key belongs. */
export async function* tracesOf({ discord, store, directory, outputs }: Traces): AsyncGenerator<Searched> {
  for (const [index, output] of outputs.entries()) {
    yield { place: "log", where: `start ${index + 1}`, bytes: Buffer.from(output) };
  }
  for (const { method, path, query, headers, body, files } of discord.requests) {
    // Only the token belongs in this header.
    const authorization = headers.authorization === `Bot ${discord.token}` ? undefined : headers.authorization;
    const text = [path, ...Object.values(query), JSON.stringify({ ...headers, authorization }), JSON.stringify(body)];
    const where = `${method} ${path.slice(0, 40)}`;
    yield { place: "Discord", where, bytes: Buffer.from(text.join("\n")) };
    for (const { name, bytes } of files) yield { place: "Discord", where: `${where}, file ${name}`, bytes };
  }
  yield { place: "Discord", where: "gateway", bytes: Buffer.from(JSON.stringify(discord.frames)) };
  for (const { method, path, query, authorization } of store.requests) {
    const text = [path, ...Object.values(query), authorization].join("\n");
    yield { place: "store", where: `${method} ${path.slice(0, 40)}`, bytes: Buffer.from(text) };
  }
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const where = relative(directory, path);
    if (entry.isFile() && where !== keyFile) yield { place: "disk", where, bytes: await readFile(path) };
  }
}
