import type { Caller } from "../src/discord/define-command.ts";
import { ProblemError, problemOf } from "../src/discord/problem-error.ts";
import type { Guild } from "../src/guilds/guild.ts";
import { GuildError } from "../src/guilds/guilds.ts";
import { setup } from "../src/views/catalogue/setup.ts";
import { customId } from "../src/views/custom-id.ts";
import { connectModal } from "../src/views/modals.ts";
import { notice } from "../src/views/notice.ts";
import { confirmation, settingsNotice, storeStatusNotice } from "../src/views/setup.ts";
import { assertMayShowCustomers } from "./channel-rules.ts";
import { defineCommand, execute } from "./define.ts";
import { patience } from "./patience.ts";
import { progressOf } from "./progress.ts";
import type { Services } from "./services.ts";
import { statusesSeen } from "./statuses.ts";

/** Printable ASCII without spaces: what can stand in an Authorization header. */
const tokenPattern = /^[!-~]{1,4000}$/;
const languages = ["en", "pt-BR", "es"] as const;
const privacies = ["none", "masked", "full"] as const;

/** Asked to see whether the store answers, and what it honours. */
const probe = { limit: 2, statuses: statusesSeen([]) };

const oneOf = <const T extends string>(values: readonly T[], value: string | undefined): T | undefined =>
  values.find((known) => known === value);

/** ISO 4217 in capitals; "none" takes the currency away. Throws a `ProblemError`. */
function currencyOf(typed: string): string | undefined {
  const code = typed.trim().toUpperCase();
  if (code === "NONE") return undefined;
  if (!Intl.supportedValuesOf("currency").includes(code)) throw new ProblemError({ code: "bad_currency" });
  return code;
}

/** Undefined where Discord does not say. */
async function isPublicChannel(caller: Caller, services: Services, channelId: string): Promise<boolean | undefined> {
  const { guildId, userId, roleIds } = caller;
  const look = services.attempts(caller, () => services.lookAt({ guildId, channelId, userId, roleIds }));
  return look.then(
    ({ isPublic }) => isPublic,
    () => undefined,
  );
}

/**
 * What a question whether to delete everything was asked about: the token, by when it came. Once that is deleted, or another
 * one came, the question is over. A record that cannot be read can be deleted, too.
 */
async function connectionOf(guildId: string, { guilds }: Services): Promise<string> {
  try {
    return String((await guilds.get(guildId)).token?.since ?? "none");
  } catch (error) {
    if (error instanceof GuildError) return "unread";
    throw error;
  }
}

export const store = defineCommand({
  name: "store",
  // Whoever may replace the token or delete everything can take the store away from its owner.
  managersOnly: true,
  subcommands: {
    connect: execute({
      options: {},
      answer: "modal",
      run: async ({ locale }) => connectModal(customId("store", "token"), locale),
    }),

    status: execute({
      options: {},
      answer: "ephemeral",
      async run({ guildId, locale }, services) {
        const { guild, store } = await services.connected(guildId);
        const { token } = guild;
        const { honours } = store;
        const signal = patience();
        // A list with a filter shows that it was filtered only beside the whole one.
        const probed = services.catalog
          .recentOrders(guildId, store)
          .then(() => store.listOrders(probe, signal))
          .then(() => undefined, problemOf);
        const [status, now] = await Promise.all([services.alerts.status(guildId), probed]);
        return storeStatusNotice(
          {
            host: services.storeHost,
            last4: token?.last4 ?? "",
            refusedAt: status.trouble.refused?.since,
            now,
            statusHonoured: honours.of("status"),
            emailHonoured: honours.of("email"),
            limitHonoured: honours.of("limit"),
            settings: guild.settings,
            ...progressOf(guild, status, services),
          },
          locale,
        );
      },
    }),

    settings: execute({
      options: {
        currency: {
          kind: "string",
          max: 4,
          suggest: async (typed, { locale }) => {
            const names = new Intl.DisplayNames(locale, { type: "currency" });
            const wanted = typed.trim().toLowerCase();
            const nameOf = (code: string) =>
              code === "none" ? setup[locale].plainNumbers : `${code} · ${names.of(code) ?? code}`.slice(0, 100);
            return ["none", ...Intl.supportedValuesOf("currency")]
              .map((code) => ({ name: nameOf(code), value: code }))
              .filter(({ name }) => name.toLowerCase().includes(wanted))
              .slice(0, 25);
          },
        },
        language: { kind: "string", choices: languages },
        privacy: { kind: "string", choices: privacies },
        staff: { kind: "role" },
      },
      answer: "ephemeral",
      async run(caller, services) {
        const { guildId, locale, options } = caller;
        const { currency, language, privacy, staff } = options;
        const change = (guild: Guild): Guild => {
          const { currency: before, ...rest } = guild.settings;
          const chosen = currency === undefined ? before : currencyOf(currency);
          return {
            ...guild,
            settings: {
              ...rest,
              ...(chosen === undefined ? {} : { currency: chosen }),
              language: oneOf(languages, language) ?? rest.language,
              privacy: oneOf(privacies, privacy) ?? rest.privacy,
              // Choosing @everyone, whose id is the server's, takes the role away.
              ...(staff === undefined ? {} : { staffRoleId: staff === guildId ? undefined : staff }),
            },
          };
        };
        const before = await services.guilds.get(guildId);
        const wanted = change(before).settings.privacy;
        const channelId = wanted === "none" ? undefined : before.alerts?.channelId;
        const isPublic = channelId === undefined ? false : await isPublicChannel(caller, services, channelId);
        const showsMore = privacies.indexOf(wanted) > privacies.indexOf(before.settings.privacy);
        if (showsMore) assertMayShowCustomers(caller, isPublic);
        const isChange = Object.values(options).some((value) => value !== undefined);
        const guild = isChange ? await services.guilds.update(guildId, change) : before;
        const warning = isPublic === false ? undefined : setup[locale].isPublic(`<#${channelId}>`);
        return settingsNotice(guild.settings, locale, warning);
      },
    }),

    disconnect: execute({
      options: {},
      answer: "ephemeral",
      async run({ guildId, locale, userId }, services) {
        const say = setup[locale];
        const asked = await connectionOf(guildId, services);
        return confirmation(
          { title: say.disconnectTitle, body: say.disconnectBody },
          { confirm: customId("store", "disconnect", userId, asked), cancel: customId("store", "keep", userId) },
          locale,
        );
      },
    }),
  },

  components: {
    disconnect: {
      answer: "update",
      async run({ guildId, locale, userId, args }, services) {
        const [asker, asked] = args;
        if (asker !== userId) throw new ProblemError({ code: "someone_elses" });
        if (asked !== (await connectionOf(guildId, services))) throw new ProblemError({ code: "expired" });
        await services.forget(guildId);
        return notice({ body: setup[locale].disconnected, tone: "ok" });
      },
    },
    keep: {
      answer: "update",
      async run({ locale, userId, args }) {
        if (args[0] !== userId) throw new ProblemError({ code: "someone_elses" });
        return notice(setup[locale].kept);
      },
    },
  },

  modals: {
    token: {
      answer: "ephemeral",
      async run(submission, services) {
        const { guildId, locale, fields } = submission;
        const token = (fields.token ?? "").trim();
        if (!tokenPattern.test(token)) throw new ProblemError({ code: "bad_token" });
        const guild = await services.tokenAttempts(submission, () =>
          services.alerts.connect(guildId, services.forToken(token), token),
        );
        services.catalog.forget(guildId);
        const last4 = guild.token?.last4 ?? "";
        return notice({
          body: guild.alerts ? setup[locale].reconnected(last4) : setup[locale].connected(last4),
          tone: "ok",
        });
      },
    },
  },
});
