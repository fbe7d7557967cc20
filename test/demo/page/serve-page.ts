import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { ZodError } from "zod";
import { refusedRequest } from "../../sandbox/guard.ts";
import { listen, stop } from "../../sandbox/listen.ts";
import type { Demo } from "../start-demo.ts";
import { createActions } from "./actions.ts";
import { createEventStream } from "./event-stream.ts";
import { channelsSnapshot, serverSnapshot, statusSnapshot, storeSnapshot } from "./snapshot.ts";
import { createStaticFiles } from "./static-files.ts";
import { createTroubles, type Troubles } from "./troubles.ts";

export type Page = Awaited<ReturnType<typeof servePage>>;

/** Discord's own limit on a file. */
const uploadBytes = 10 * 1024 * 1024;
const statusEveryMs = 200;
const storeEveryMs = 50;

/** A browser stores the file if `isDownload` is true. */
interface Served {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly isDownload?: boolean;
}

/** Oldest first, from the channels that the page shows, each with the only person who sees it, if any. */
function messagesIn({ discord, guild, backstage }: Demo) {
  const messages = guild.channels.flatMap(({ id }) => {
    if (id === backstage) return [];
    const shown = new Map(discord.messages(id).map((message) => [message.id, { message }]));
    for (const { user } of guild.members) {
      for (const message of discord.messagesFor(user.id, id)) {
        if (!shown.has(message.id)) shown.set(message.id, { message, ...{ ephemeralFor: user.id } });
      }
    }
    return [...shown.values()];
  });
  // The phone shows the newest of all channels.
  return messages.sort((a, b) => Number(BigInt(a.message.id) - BigInt(b.message.id)));
}

const everythingIn = (demo: Demo, troubles: Troubles) =>
  [
    ["server", serverSnapshot(demo)],
    ["channels", channelsSnapshot(demo)],
    ["store", storeSnapshot(demo)],
    ["status", statusSnapshot(demo, troubles)],
    ["messages", messagesIn(demo)],
  ] as const;

function send(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? Number.NaN) <= uploadBytes) return buffer(request);
  throw new Error("file-too-big");
}

export async function servePage(demo: Demo) {
  const { discord, store, guild } = demo;
  const files = await createStaticFiles();
  const stream = createEventStream();
  const troubles = createTroubles(demo);

  const status = () => stream.sendSoon("status", () => statusSnapshot(demo, troubles), statusEveryMs);
  const channels = () => stream.sendSoon("channels", () => channelsSnapshot(demo), storeEveryMs);
  const tables = () => {
    stream.sendSoon("store", () => storeSnapshot(demo), storeEveryMs);
    status();
  };
  const actions = createActions(demo, troubles, tables);

  const watched = (stored: { guildId?: string; channelId: string }) =>
    stored.guildId === guild.id && stored.channelId !== demo.backstage;
  for (const event of ["message", "edit"] as const) {
    discord.on(event, (stored) => {
      if (watched(stored)) stream.send(event, { message: stored.message, ephemeralFor: stored.ephemeralFor });
      status();
    });
  }
  discord.on("commands", channels);
  discord.on("world", channels);
  store.on("request", status);
  store.on("change", tables);
  demo.onChange(status);
  demo.onStartOver(() => {
    stream.send("start-over", serverSnapshot(demo));
    stream.send("messages", messagesIn(demo));
  });

  const act = async (path: string, request: IncomingMessage, response: ServerResponse) => {
    const body = await read(request);
    if (path === "/api/upload") {
      const name = decodeURIComponent(String(request.headers["x-file-name"] ?? "file"));
      return send(response, 200, discord.upload(name, body, request.headers["content-type"] ?? ""));
    }
    const action = actions[path.slice("/api/".length)];
    if (action === undefined || request.headers["content-type"] !== "application/json") {
      return send(response, 404, { error: "There is no such action." });
    }
    send(response, 200, await action(JSON.parse(body.toString() || "{}")));
  };

  /** The pretend Discord does not let browsers read its files. All but pictures are downloads, so no uploaded page runs. */
  const attached = async (path: string) => {
    const answer = await fetch(new URL(path, new URL(discord.apiUrl).origin));
    const contentType = answer.headers.get("content-type") ?? "";
    if (!answer.ok) return undefined;
    const isDownload = !contentType.startsWith("image/");
    return { bytes: Buffer.from(await answer.arrayBuffer()), contentType, isDownload };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const refused = refusedRequest(request, "own page");
    if (refused !== undefined) return send(response, 403, { error: `Refused: ${refused}.` });
    const { pathname: path, search } = new URL(request.url ?? "/", "http://page");
    if (request.method === "POST" && path.startsWith("/api/")) {
      return act(path, request, response).catch((error: unknown) => {
        // A key of the page's texts, or the pretend Discord's sentence about what a real client does not let people do.
        const said = error instanceof ZodError ? "cannot-send" : String((error as Error).message);
        send(response, 400, { error: said });
      });
    }
    if (request.method !== "GET") return send(response, 405, { error: "There is nothing of that kind here." });
    if (path === "/events") return stream.join(response, everythingIn(demo, troubles));
    const file: Served | undefined = path.startsWith("/attachments/")
      ? await attached(path + search)
      : await files.read(path);
    if (file === undefined) return send(response, 404, { error: "There is nothing here." });
    response.writeHead(200, {
      ...(file.isDownload ? { "content-disposition": "attachment" } : {}),
      "content-type": file.contentType,
      "content-security-policy": files.contentSecurityPolicy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache",
    });
    response.end(file.bytes);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      console.error("the page failed", error);
      response.destroy();
    });
  });
  const url = `http://${await listen(server)}/`;
  return {
    url,
    async close(): Promise<void> {
      stream.close();
      await stop(server);
    },
  };
}
