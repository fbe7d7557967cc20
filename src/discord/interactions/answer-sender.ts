import { type API, MessageFlags, RESTJSONErrorCodes } from "@discordjs/core";
import { DiscordAPIError, RateLimitError } from "@discordjs/rest";
import { type Choice, mostChoices } from "../../basics/choices.ts";
import { BoundedMap } from "../../basics/limits/bounded-map.ts";
import { budgets } from "../../basics/limits/budgets.ts";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../../basics/limits/concurrency-limit.ts";
import { longestReplyMinutes } from "../../basics/limits/limits-in-texts.ts";
import type { MessagePatch, MessagePayload } from "../../views/parts/payload.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import type { ModalPayload } from "../commands/define-command.ts";
import { fileBytesOf, type Reply } from "../commands/reply.ts";
import type { Answerable, ServedInteraction } from "./interaction.ts";
import { type NoticeDeps, noticeOf } from "./problem-of.ts";

const { atOnce, longestWaitMs } = budgets.refusals;
/** If Discord does not reply to a refusal within this time, the bot sends the server's next refusal anyway. */
const longestSendMs = 10_000;
/** Refusals are counted for at most this many servers. If a server is dropped from memory, its next count begins at 0. */
const mostServers = 1_000;

/** The methods reject if Discord refuses the answer, unless the method's comment says otherwise. */
export interface InteractionAnswer extends Reply {
  /** Tells Discord that the answer comes later: as a reply that only the caller sees, or as a change of the pressed message. */
  acknowledge(how: "ephemeral" | "update"): Promise<void>;
  /** Has to be the first answer. */
  open(window: ModalPayload): Promise<void>;
  /** Logs the problem and tells the person. Sends no first answer if the server gets too many refusals at once. */
  refuse(error: unknown): Promise<void>;
}

/** The answer came too late (10062), or another process with the same token has answered (40060). */
export function isAnsweredElsewhere(error: unknown): error is DiscordAPIError {
  return error instanceof DiscordAPIError && (error.code === 10062 || error.code === 40060);
}

const goneCodes: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.UnknownWebhook,
  RESTJSONErrorCodes.InvalidWebhookToken,
]);

/** The person deleted the answer, its channel was deleted, or its 15 minutes are over. */
const isGone = (error: unknown) => error instanceof DiscordAPIError && goneCodes.has(error.code);

const onlyForCaller = (payload: MessagePayload) => ({ ...payload, flags: payload.flags | MessageFlags.Ephemeral });

/**
 * An edit lists all its files in `attachments`. Otherwise Discord would add them to the files that the message has (docs: Edit
 * Message). A patch leaves the files as they are.
 */
function editOf(payload: MessagePayload | MessagePatch) {
  if ("content" in payload) return payload;
  const attachments = (payload.files ?? []).map(({ name }, index) => ({ id: String(index), filename: name }));
  return { ...payload, attachments };
}

export type AnswerSender = ReturnType<typeof createAnswerSender>;

export function createAnswerSender(deps: NoticeDeps & { readonly api: API }) {
  const { log, ending } = deps;
  const { interactions } = deps.api;
  const limits = new BoundedMap<string, ConcurrencyLimit>(mostServers);

  async function refuseFirst({ guild_id: guildId, id }: ServedInteraction, send: () => Promise<unknown>) {
    const server = guildId ?? id;
    const limit = limits.get(server) ?? createConcurrencyLimit(atOnce, longestSendMs);
    limits.set(server, limit);
    const leave = await limit.take(false, AbortSignal.timeout(longestWaitMs));
    if (!leave) return;
    await send().finally(leave);
  }

  async function offer({ id, token }: ServedInteraction, choices: readonly Choice[]) {
    await interactions.createAutocompleteResponse(id, token, {
      choices: choices.slice(0, mostChoices).map((choice) => ({ ...choice })),
    });
  }

  return {
    offer,
    /** Offers an empty list. Sends nothing if the server gets too many refusals at once. */
    offerNothing: (interaction: ServedInteraction) => refuseFirst(interaction, () => offer(interaction, [])),
    to(interaction: Answerable): InteractionAnswer {
      const { id, token, application_id: applicationId } = interaction;
      let first: "ephemeral" | "update" | undefined;
      let canChange = true;
      async function show(payload: MessagePayload | MessagePatch) {
        if (!canChange) return;
        try {
          await interactions.editReply(applicationId, token, editOf(payload));
        } catch (cause) {
          canChange = !isGone(cause);
          // After a rate limit nothing is thrown, because a message about the problem would meet the same limit.
          if (canChange && !(cause instanceof RateLimitError)) throw new ProblemError({ code: "not_shown" }, { cause });
          log.info({ err: cause, interaction: id }, "Discord takes no change of an answer");
        }
      }
      async function begin(sent: Promise<unknown>) {
        await sent.catch((cause: unknown) => {
          throw cause instanceof DiscordAPIError ? cause : new ProblemError({ code: "not_begun" }, { cause });
        });
      }
      async function send(payload: MessagePayload) {
        await interactions.followUp(applicationId, token, onlyForCaller(payload)).catch((cause: unknown) => {
          throw new ProblemError({ code: "not_shown" }, { cause });
        });
      }
      const reply: Reply = {
        show,
        send,
        fileBytes: fileBytesOf(interaction.attachment_size_limit),
        until: performance.now() + longestReplyMinutes * 60_000,
        ending,
      };
      return {
        ...reply,
        async acknowledge(how) {
          const isUpdate = how === "update";
          await begin(
            isUpdate
              ? interactions.deferMessageUpdate(id, token)
              : interactions.defer(id, token, { flags: MessageFlags.Ephemeral }),
          );
          first = how;
        },
        open: (window) => begin(interactions.createModal(id, token, window)),
        async refuse(error) {
          const payload = noticeOf(error, interaction, deps);
          if (first === "ephemeral") await reply.show(payload);
          else if (first === "update") await reply.send(payload);
          else await refuseFirst(interaction, () => interactions.reply(id, token, onlyForCaller(payload)));
        },
      };
    },
  };
}
