import { type APIInteraction, PermissionFlagsBits } from "@discordjs/core";
import type { RESTOptions } from "@discordjs/rest";
import type { Gateway, GatewayDeps } from "../../../src/discord/gateway/gateway.ts";
import { createApi } from "../../sandbox/discord/api.ts";
import { apiErrors, tooManyRequests } from "../../sandbox/discord/errors.ts";
import type { GatewayDispatch, RecordedRequest, StoredMessage } from "../../sandbox/discord/model.ts";
import { textOf } from "../../sandbox/discord/read-message.ts";
import type { Answer } from "../../sandbox/discord/route-server.ts";
import { Stream } from "../randomness.ts";
import type { Setup } from "../setup.ts";
import { after, as, currentOwner, type Owner, time, wallTime } from "../virtual-time.ts";
import { type Fault, Faults } from "./faults.ts";
import { type Evidence, type MessageTruth, markStart, type RequestTruth, type Version } from "./record.ts";

/** A fault of Discord that lasts for a while. */
export interface DiscordFault extends Fault {
  readonly how:
    | "refused"
    | "refused-together"
    | "refused-text"
    | "forbidden"
    | "limited"
    | "unavailable"
    | "lost-request"
    | "lost-answer"
    | "late-answer"
    | "not-discord"
    | "mixed";
}
type How = DiscordFault["how"] | undefined;
type Response = Awaited<ReturnType<RESTOptions["makeRequest"]>>;

const applicationId = "1328399040512000000";
export const discordToken = `${Buffer.from(applicationId).toString("base64url")}.AAAAAA.${"b".repeat(38)}`;
/** Channels and people of the server. The first person is the owner, the first two are managers. */
export const channelNames = ["new-orders", "staff", "keys", "large", "wins"] as const;
const people = ["owner", "ana", "bruno", "carla"] as const;

/**
 * Share of requests, answers and events that take up to four seconds longer. Such a request may arrive after its process has
 * ended.
 */
const lateShare = 0.02;
const longestWayMs = 4_000;

const idIn = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<![\w-])\d{8}(?![\w-])/g;

function idsIn(components: unknown): string[] {
  if (Array.isArray(components)) return components.flatMap(idsIn);
  if (typeof components !== "object" || components === null) return [];
  const { custom_id: id, options, components: inner } = components as Record<string, unknown>;
  const values = Array.isArray(options) ? options.map((option: { value?: unknown }) => String(option.value)) : [];
  return [...[String(id ?? ""), ...values].flatMap((text) => text.match(idIn) ?? []), ...idsIn(inner)];
}

const versionOf = ({ message }: StoredMessage): Version => ({
  at: time(),
  text: textOf(message),
  content: message.content,
  orders: [...new Set(idsIn(message.components))],
  card: message.embeds.length > 0 ? JSON.stringify(message.embeds) : "",
  files: message.attachments.length,
});

/** The sandbox's Discord with one server, in memory and without sockets. */
export class SimulatedDiscord {
  readonly faults: Faults<DiscordFault>;
  readonly guild;
  private readonly api;
  private readonly setup: Setup;
  private readonly evidence: Evidence;
  private readonly latency: Stream;
  private readonly trace: (line: string) => void;
  private readonly closed = new Set<string>();
  private readonly listeners = new Map<Owner, GatewayDeps["handlers"]>();
  private readonly truths = new Map<string, MessageTruth>();
  /** Called after each new message in a channel of the server. */
  onPost: () => void = () => undefined;

  constructor(seed: number, setup: Setup, evidence: Evidence, trace: (line: string) => void) {
    this.faults = new Faults(seed);
    this.setup = setup;
    this.evidence = evidence;
    this.trace = trace;
    this.latency = new Stream(seed, "discord latency");
    const limit = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 };
    this.api = createApi({
      now: wallTime,
      applicationId,
      botName: "Shopbell",
      token: discordToken,
      filesUrl: () => "https://files.test",
      gatewayBot: () => ({ url: "wss://gateway.test", shards: 1, session_start_limit: limit }),
    });
    const { bus, world } = this.api;
    this.guild = world.addGuild({
      channels: [...channelNames],
      roles: [{ name: "Staff", permissions: PermissionFlagsBits.ManageGuild }, { name: "Packers" }],
      people: people.map((name, index) => ({ name, roles: [index < 2 ? "Staff" : "Packers"] })),
    });
    bus.on("dispatch", (event) => this.tell(event));
    bus.on("message", (stored) => this.posted(stored));
    bus.on("edit", (stored) => this.truths.get(stored.message.id)?.versions.push(versionOf(stored)));
  }

  get refusals() {
    return this.api.evidence.refusals;
  }

  channel(name: string): string {
    return this.guild.channel(name);
  }

  /** Actions of people. An action throws a sentence if Discord's client would not send it. */
  get by() {
    return this.api.people;
  }

  messages(channelId: string) {
    return this.api.world.publicMessages(channelId).map(({ message }) => message);
  }

  close(channelId: string, how: "closed" | "hidden" | "fileless" | "deleted"): void {
    const { ViewChannel, ReadMessageHistory, AttachFiles } = PermissionFlagsBits;
    this.closed.add(channelId);
    const denied = { closed: ViewChannel, hidden: ReadMessageHistory, fileless: AttachFiles };
    if (how === "deleted") this.api.world.setChannelDeleted(channelId, true);
    else this.api.world.setBotPermissions(channelId, { deny: denied[how] });
  }

  /** Does nothing if the channel is open already, because the bot is told of each change. */
  open(channelId: string): void {
    if (!this.closed.delete(channelId)) return;
    if (this.api.world.channelOf(channelId).deleted) this.api.world.setChannelDeleted(channelId, false);
    this.api.world.setBotPermissions(channelId, {});
  }

  private posted(stored: StoredMessage): void {
    const { message, channelId, ephemeralFor, guildId } = stored;
    if (ephemeralFor !== undefined || message.author.id !== applicationId) return;
    if (guildId === undefined) return void this.evidence.direct.push({ at: time(), content: message.content });
    const truth: MessageTruth = {
      id: message.id,
      channelId,
      at: time(),
      repliesTo: message.message_reference?.message_id,
      versions: [versionOf(stored)],
    };
    this.truths.set(message.id, truth);
    this.evidence.messages.push(truth);
    this.onPost();
  }

  /** Sends an event on every open connection of the gateway. */
  private tell({ t, d }: GatewayDispatch): void {
    for (const [owner, handlers] of this.listeners) {
      after(
        this.way(),
        () => {
          if (this.listeners.get(owner) !== handlers) return;
          if (t === "INTERACTION_CREATE") handlers.onInteraction(structuredClone(d) as unknown as APIInteraction);
          else if (/^(?:CHANNEL|GUILD_ROLE)_(?:CREATE|UPDATE)$/.test(t)) handlers.onGuildChanged(this.guild.id);
        },
        owner,
      );
    }
  }

  /** Replaces the connection to the gateway. */
  readonly gateway = ({ handlers }: GatewayDeps): Gateway => {
    const owner = currentOwner() as Owner;
    return {
      connect: () =>
        new Promise((resolve) => {
          after(
            5 * this.way(),
            () => {
              this.listeners.set(owner, handlers);
              handlers.onGuildChanged(this.guild.id);
              resolve();
            },
            owner,
          );
        }),
      close: async () => void this.listeners.delete(owner),
      health: { notReady: () => undefined, heartbeats: () => [] },
    };
  };

  forget(owner: Owner): void {
    this.listeners.delete(owner);
  }

  private way(): number {
    const [least, most] = this.setup.latency.discord;
    const way = this.latency.between(least, most) / 2;
    return this.latency.chance(lateShare) ? way + this.latency.between(0, longestWayMs) : way;
  }

  /** Replaces `DefaultRestOptions.makeRequest`. */
  readonly makeRequest: RESTOptions["makeRequest"] = (url, init) => {
    const owner = currentOwner();
    if (owner?.isDead) this.evidence.crashes.push({ at: time(), message: "a dead process asked Discord" });
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { signal, method = "GET", body } = init;
    const abort = () => reject(Object.assign(new Error("This operation was aborted"), { name: "AbortError" }));
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const request = this.recorded(method, new URL(url), init.headers, body);
    const { content, components, message_reference } = (request.body ?? {}) as {
      readonly content?: string;
      readonly components?: unknown;
      readonly message_reference?: object;
    };
    const isReply = message_reference !== undefined;
    const life = owner?.number ?? 0;
    const { path } = request;
    const sent: RequestTruth = { at: time(), life, method, path, content, isReply, orders: idsIn(components) };
    if (!/^\/(?:interactions|webhooks)\//.test(request.path)) this.evidence.discordRequests.push(sent);
    after(this.way(), () => {
      const how = this.faultFor(request);
      const { answer, isLost, moreMs } = this.meet(request, new URL(url).searchParams, how);
      this.trace(
        `discord ${method} ${request.path} ${typeof body === "string" ? body : ""} ${how ?? ""} ${answer.status}`,
      );
      after(
        this.way() + moreMs,
        () => {
          signal?.removeEventListener("abort", abort);
          if (!isLost) sent.answer = { status: answer.status, at: time() };
          if (isLost) reject(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
          else resolve(responseOf(answer));
        },
        owner,
      );
    });
    return promise;
  };

  private recorded(method: string, url: URL, headers: unknown, body: unknown): RecordedRequest {
    const isForm = body instanceof FormData;
    const parts = isForm ? [...body.entries()].filter(([name]) => name !== "payload_json") : [];
    const given = headers as Record<string, string>;
    return {
      method,
      path: decodeURIComponent(url.pathname.replace(/^\/api\/v10/, "")),
      query: Object.fromEntries(url.searchParams),
      headers: { authorization: given.Authorization ?? given.authorization ?? "" },
      body: isForm
        ? JSON.parse(String(body.get("payload_json") ?? "{}"))
        : typeof body === "string"
          ? JSON.parse(body)
          : undefined,
      files: parts.map(([field, file]) => ({
        field,
        name: (file as File).name,
        contentType: "image/png",
        bytes: Buffer.alloc(16),
      })),
      at: wallTime(),
    };
  }

  private faultFor({ method, path, body }: RecordedRequest): How {
    const isMessage = /^\/channels\/\d+\/messages/.test(path);
    const isPost = isMessage && method === "POST";
    const ids = new Set(idsIn((body as { components?: unknown } | undefined)?.components));
    const isTogether = isPost && ids.size > 1;
    // Public lines have no ids. Without the text of an item, no checker would recognise them.
    const hasText = isMessage && ids.size > 0 && JSON.stringify(body).includes(markStart);
    const met = this.faults.meet(({ how }) => {
      if (how === "refused") return isPost || (isMessage && method === "PATCH");
      if (how === "refused-together") return isTogether;
      if (how === "refused-text") return hasText;
      if (how === "forbidden" || how === "limited" || how === "not-discord") return isMessage;
      return true;
    });
    if (met === undefined) return undefined;
    const { fault, stream } = met;
    if (fault.how !== "mixed") return fault.how;
    const drawn = stream.pick(["fine", "lost-request", "lost-answer", "refused", "unavailable"] as const);
    return drawn === "fine" || (drawn === "refused" && !isPost) ? undefined : drawn;
  }

  private meet(
    request: RecordedRequest,
    query: URLSearchParams,
    how: How,
  ): { answer: Answer; isLost: boolean; moreMs: number } {
    const answered = (answer: Answer) => ({ answer, isLost: false, moreMs: 0 });
    switch (how) {
      case "refused":
      case "refused-together":
      case "refused-text":
        return answered({ status: 400, body: apiErrors.emptyMessage().body });
      case "forbidden":
        return answered({ status: 403, body: apiErrors.missingPermissions().body });
      case "limited":
        return answered(tooManyRequests(8));
      case "unavailable":
        return answered({ status: 503, body: { message: "503: Service Unavailable", code: 0 } });
      case "not-discord":
        return answered({ status: 200, body: {} });
      case "lost-request":
        return { ...answered({ status: 0 }), isLost: true };
      default: {
        const answer = this.serve(request, query);
        const moreMs = how === "late-answer" ? this.latency.between(2_000, 40_000) : 0;
        return { answer, isLost: how === "lost-answer", moreMs };
      }
    }
  }

  private serve(given: RecordedRequest, query: URLSearchParams): Answer {
    let request = given;
    const { body } = given;
    if (!this.setup.discord.nonces && typeof body === "object" && body !== null && "enforce_nonce" in body) {
      request = { ...given, body: { ...body, enforce_nonce: false } };
    }
    return as(undefined, () => this.api.routes.serve(request, query));
  }
}

function responseOf({ status, body, headers = {} }: Answer): Response {
  const pieces = body === undefined ? [] : [Buffer.from(JSON.stringify(body))];
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return {
    status,
    statusText: "",
    headers: new Headers({ ...type, ...headers } as Record<string, string>),
    body: pieces,
    ok: status < 300,
  } as unknown as Response;
}
