import { pollStatusOf } from "../../src/alerts/poll-status.ts";
import { longestChoice } from "../../src/basics/choices.ts";
import { isDiscordId } from "../../src/basics/discord-id.ts";
import { locales } from "../../src/basics/locale.ts";
import { pastedToken } from "../../src/basics/pasted-token.ts";
import { likelyZone } from "../../src/basics/zone-choices.ts";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { defineCommand, execute, type MenuChoice } from "../../src/discord/commands/define-command.ts";
import type { Services } from "../../src/discord/commands/services.ts";
import { problemOf } from "../../src/discord/interactions/problem-of.ts";
import { type Guild, privacies } from "../../src/guilds/guild.ts";
import { GuildError } from "../../src/guilds/guilds.ts";
import { texts } from "../../src/locales/texts.ts";
import { answerTimeout } from "../../src/store-queries/answer-timeout.ts";
import { provingFilters } from "../../src/store-queries/search-orders.ts";
import { button } from "../../src/views/parts/components.ts";
import { customIds } from "../../src/views/parts/custom-ids.ts";
import { connectModal } from "../../src/views/parts/modals.ts";
import { confirmation, notice } from "../../src/views/parts/notice.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { plain } from "../../src/views/parts/text.ts";
import { auditPage, auditPageSize } from "../../src/views/settings/audit-log.ts";
import { currencyTyped, suggestCurrencies } from "../../src/views/settings/currencies.ts";
import { alertTriggers } from "../../src/views/settings/set-up.ts";
import {
  type StoreStatusView,
  settingsNotice,
  storeStatusLine,
  storeStatusNotice,
} from "../../src/views/settings/status-notices.ts";
import { alertProblemsOf, assertMayShowCustomers, tryInspect } from "../alert-target.ts";
import { zoneIn, zoneOption } from "../options.ts";
import { statusesSeen } from "../typed-statuses.ts";
import { beginSetUp, changeSetUp, type OfSetUp, sendSample } from "./set-up.ts";

/** Printable ASCII without spaces: the characters that an Authorization header can have. */
const tokenPattern = /^[!-~]{1,4000}$/;

/** Shows whether the store answers, and which parameters it obeys. */
const probe = { filter: { statuses: statusesSeen([]) }, limit: 2 };

const idIn = ({ value }: MenuChoice): string | undefined => (isDiscordId(value) ? value : undefined);

const oneOf = <const T extends string>(values: readonly T[], value: string): T | undefined =>
  values.find((known) => known === value);

function currencyOf(typed: string): string | undefined {
  const code = typed.trim().toUpperCase();
  if (code === "NONE") return undefined;
  if (!Intl.supportedValuesOf("currency").includes(code)) throw new ProblemError({ code: "bad_currency" });
  return code;
}

/** Identifies the connection that a person asks to delete, so that a newer connection is not deleted. */
async function connectionOf(guildId: string, { guilds }: Services): Promise<string> {
  try {
    const guild = await guilds.find(guildId);
    if (guild === undefined) throw new ProblemError({ code: "not_connected" });
    return String(guild.token?.since ?? "none");
  } catch (error) {
    if (error instanceof GuildError) return "unread";
    throw error;
  }
}

async function statusOf(caller: Caller, services: Services): Promise<StoreStatusView> {
  const { guild, store } = await services.connected();
  const signal = answerTimeout();
  const { filter, limit } = probe;
  const probed = provingFilters({ store, filter, signal }, limit, () =>
    store.listOrders({ ...filter, limit }, signal),
  ).then(() => undefined, problemOf);
  const [status, now, channelProblems] = await Promise.all([
    services.alerts.status(guild.id),
    probed,
    alertProblemsOf(caller, services, guild),
  ]);
  const { storeHost: host } = services;
  const { capabilities } = store;
  return { ...status, ...pollStatusOf(guild, status, services), host, guild, now, capabilities, channelProblems };
}

const askForToken = async ({ locale }: Caller) => connectModal(customIds.store.windows.token.make({}), locale);

function tokenProblem(error: unknown, { locale }: Caller): unknown {
  const problem = problemOf(error);
  if (problem.code !== "bad_token" && problem.code !== "unauthorized") return error;
  const again = button(customIds.store.buttons.again.make({}), texts(locale).common.tryAgain, { style: "Primary" });
  return new ProblemError(problem, { cause: error, buttons: [again] });
}

const showLog = async ({ guildId, locale }: Caller, { auditLog }: Services, page: number) =>
  auditPage(await auditLog.page(guildId, page, auditPageSize), locale);

type Settings = Guild["settings"];

async function changeSettings(
  caller: Caller,
  { guilds, alerts, auditLog }: Services,
  change: (settings: Settings) => Settings,
): Promise<Guild> {
  const { guildId } = caller;
  const { settings: before } = await guilds.get(guildId);
  const guild = await alerts.changeSettings(guildId, change);
  const { settings: after } = guild;
  const deeds = [
    { did: "currency", was: before.currency, what: after.currency },
    { did: "language", was: before.language, what: after.language },
    { did: "privacy", was: before.privacy, what: after.privacy },
    { did: "staff", was: before.staffRoleId, what: after.staffRoleId },
    { did: "timezone", was: before.timezone, what: after.timezone },
  ] as const;
  const changed = deeds.filter(({ was, what }) => was !== what);
  await Promise.all(changed.map(({ did, what }) => auditLog.note(caller, { did, what })));
  return guild;
}

const settingMenu =
  (change: (settings: Settings, value: string) => Settings) =>
  async (choice: MenuChoice<OfSetUp>, services: Services) => {
    const { value, args } = choice;
    // Throws if the panel is another person's.
    await services.setUps.find(args.session, choice);
    await changeSettings(choice, services, (settings) => change(settings, value));
    return changeSetUp(choice, services);
  };

const withCurrency = (settings: Settings, typed: string) => ({ ...settings, currency: currencyOf(typed) });

/** Keeps a language other than English, and a time zone that was chosen before. */
const settledFor = ({ guildId, locale }: Caller, services: Services): Promise<Guild> =>
  services.guilds.update(guildId, ({ settings, ...guild }) => {
    const language = settings.language === "en" ? locale : settings.language;
    return { ...guild, settings: { timezone: likelyZone(locale), ...settings, language } };
  });

export const store = defineCommand("store", {
  // By replacing the token, or deleting everything, a person with the staff role could take the store from its owner.
  managersOnly: true,
  subcommands: {
    connect: execute({ answer: "modal", run: askForToken }),

    status: execute({
      run: async (caller, services) =>
        storeStatusLine(await statusOf(caller, services), customIds.store.buttons.details.make({}), caller.locale),
    }),

    settings: execute({
      options: {
        currency: {
          kind: "string",
          max: longestChoice,
          suggest: async (typed, { locale }) => suggestCurrencies(typed, locale),
        },
        language: { kind: "string", choices: locales },
        privacy: { kind: "string", choices: privacies },
        staff: { kind: "role" },
        timezone: zoneOption,
      },
      async run(caller, services) {
        const { guildId, locale, options } = caller;
        const { currency, language, privacy, staff } = options;
        const timezone = options.timezone?.trim() ? zoneIn(options.timezone) : undefined;
        const change = (settings: Settings): Settings => {
          const rest = currency === undefined ? settings : withCurrency(settings, currencyTyped(currency, locale));
          return {
            ...rest,
            language: language ?? rest.language,
            privacy: privacy ?? rest.privacy,
            // The role @everyone has the server's own id. Choosing it removes the staff role.
            staffRoleId: staff === undefined ? rest.staffRoleId : staff === guildId ? undefined : staff,
            timezone: timezone ?? rest.timezone,
          };
        };
        const before = await services.guilds.get(guildId);
        const wanted = change(before.settings).privacy;
        const channelId = wanted === "none" ? undefined : before.alerts?.channelId;
        const inspected =
          channelId === undefined
            ? { isPublic: false }
            : await tryInspect(caller, services, { channelId }).catch(() => undefined);
        // Undefined if Discord does not answer, or refuses.
        const isPublic = inspected?.isPublic;
        const showsMore = privacies.indexOf(wanted) > privacies.indexOf(before.settings.privacy);
        if (showsMore) assertMayShowCustomers(caller, isPublic);
        const isChange = Object.values(options).some((value) => value !== undefined);
        const guild = isChange ? await changeSettings(caller, services, change) : before;
        const say = texts(locale).settings;
        const warn = isPublic ? say.isPublic : say.maybePublic;
        const warning = isPublic === false ? undefined : warn(`<#${channelId}>`);
        return settingsNotice(guild.settings, locale, warning);
      },
    }),

    log: execute({ run: (caller, services) => showLog(caller, services, 1) }),

    disconnect: execute({
      async run({ guildId, locale, userId }, services) {
        const say = texts(locale).settings;
        const { disconnect, keep } = customIds.store.buttons;
        const asked = await connectionOf(guildId, services);
        return confirmation(
          { title: say.disconnectTitle, body: say.disconnectBody },
          { confirm: disconnect.make({ asker: userId, asked }), cancel: keep.make({ asker: userId }) },
          locale,
        );
      },
    }),
  },

  handlers: {
    buttons: {
      details: async (press, services) => storeStatusNotice(await statusOf(press, services), press.locale),
      log: (press, services) => showLog(press, services, press.args.page),
      again: { answer: "modal", run: askForToken },
      change: (press, services) => changeSetUp(press, services),
      sample: sendSample,
      async disconnect({ guildId, locale, userId, args }, services) {
        const { asker, asked } = args;
        if (asker !== userId) throw new ProblemError({ code: "someone_elses" });
        // Another store may be connected while this command waits for the end of a poll.
        await services.forget(guildId, async () => {
          if (asked !== (await connectionOf(guildId, services))) throw new ProblemError({ code: "expired" });
        });
        return notice({ body: texts(locale).settings.disconnected, tone: "ok" });
      },
      async keep({ locale, userId, args }) {
        if (args.asker !== userId) throw new ProblemError({ code: "someone_elses" });
        return notice(texts(locale).settings.kept);
      },
    },
    menus: {
      channel: (choice, services) =>
        changeSetUp(choice, services, (chosen) => ({ ...chosen, channelId: idIn(choice) ?? chosen.channelId }), true),
      role(choice, services) {
        // The server's own id stands for @everyone, which the bot never mentions.
        const roleId = idIn(choice) === choice.guildId ? undefined : idIn(choice);
        return changeSetUp(choice, services, (chosen) => ({ ...chosen, roleId }), true);
      },
      rings: (choice, services) =>
        changeSetUp(choice, services, (chosen) => ({
          ...chosen,
          rings: oneOf(alertTriggers, choice.value) ?? chosen.rings,
        })),
      language: settingMenu((settings, value) => ({
        ...settings,
        language: oneOf(locales, value) ?? settings.language,
      })),
      currency: settingMenu(withCurrency),
      timezone: settingMenu((settings, value) => ({ ...settings, timezone: zoneIn(value) })),
    },
    windows: {
      token: {
        answer: "ephemeral",
        async run(submission, services) {
          const { guildId, locale, fields } = submission;
          const token = pastedToken(fields.token ?? "");
          const before = await services.guilds.get(guildId);
          const attempt = async () => {
            if (!tokenPattern.test(token)) throw new ProblemError({ code: "bad_token" });
            return services.tokenAttempts(submission, () =>
              services.alerts.connect(guildId, services.forToken(token), token),
            );
          };
          const { guild, isOther } = await attempt().catch((error: unknown) => {
            throw tokenProblem(error, submission);
          });
          await services.auditLog.note(submission, { did: "connected" });
          if (guild.alerts) {
            const say = texts(locale).settings;
            const last4 = plain(guild.token?.last4 ?? "", 20);
            if (!isOther) return notice({ body: say.reconnected(last4), tone: "ok" });
            const isBound = guild.routes?.some(({ product, category }) => product ?? category);
            return notice({
              body: [say.otherStore(last4), ...(isBound ? [say.otherStoreRules] : [])].join("\n"),
              tone: "warn",
            });
          }
          const isFirst = before.token === undefined;
          return beginSetUp(submission, services, isFirst ? await settledFor(submission, services) : guild);
        },
      },
    },
  },
});
