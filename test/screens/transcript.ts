import type { APIEmbed } from "@discordjs/core";
import { COMPONENTS_V2, type Component, EPHEMERAL, flat, TYPE } from "../sandbox/discord/components.ts";
import type { ApiMessage, GuildModel, OfferedChoice, OpenedModal } from "../sandbox/discord/discord.ts";
import { readable } from "../sandbox/readable.ts";

/** When the transcript is read, epoch ms. Times that the bot took from its clock during the run count back from here. */
const readAt = Date.UTC(2026, 2, 2, 12, 0);
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const edges = new Map([
  [0xf0b232, "yellow"],
  [0x3b82f6, "blue"],
  [0x23a55a, "green"],
  [0xda373c, "red"],
  [0x9b59b6, "purple"],
  [0x80848e, "grey"],
  [0x5865f2, "violet-blue"],
]);

const framed = (color: number | null | undefined, lines: readonly string[]): string[] => [
  `┌ ${edges.get(color ?? 0) ?? "no"} edge`,
  ...lines.map((line) => `│ ${line}`.trimEnd()),
  "└",
];

const buttonText = ({ label = "", disabled }: Component) => (disabled ? `(${label})` : `[${label}]`);

/** References, delays and today's date differ between runs. */
const steady = (shown: string, now: number): string =>
  shown
    .replace(/^((?:Referenc|Referênc)\w+: )[0-9a-f]{8}$/gmu, "$11a2b3c4d")
    // Invisible marks, by which the bot finds messages again.
    .replace(/[\u200b-\u200d\u2060]{30}/g, "")
    .replace(/^(Delay|Atraso|Retraso): \d+ s$/gm, "$1: 0 s")
    .replaceAll(new Date(now).toISOString().slice(0, 10), new Date(readAt).toISOString().slice(0, 10));

/** Descriptions of the pictures in a classic message. */
const attached = (flags: number, attachments: ApiMessage["attachments"]) =>
  (flags & COMPONENTS_V2) !== 0 ? [] : attachments.map(({ description = "" }) => `(picture: ${description})`);

/** The time in a zone, which menus show beside the zone's name. */
const clockAt = / \(\d{1,2}:\d\d[^)]*\)$/;

function menuLines(name: string, menu: Component, locale: string): string[] {
  const clock = (timeZone: string) => new Intl.DateTimeFormat(locale, { timeZone, timeStyle: "short" }).format(readAt);
  const entries = (menu.options ?? []).map(({ label, value, description, default: chosen }) => {
    const shown = clockAt.test(label) ? label.replace(clockAt, ` (${clock(value)})`) : label;
    return `    ${chosen ? "●" : "·"} ${shown}${description ? ` (${description})` : ""}`;
  });
  return [`[${name} ▾]`, ...entries];
}

const fileText = ({ name = "" }: Component & { readonly name?: string }) => `(file: ${name})`;

/** As the reader's Discord writes times (epoch ms). */
function createTimes(locale: string, now: () => number) {
  function timeOf(seconds: number): number {
    const at = seconds * 1_000;
    const age = now() - at;
    return Math.abs(age) < dayMs ? readAt - Math.floor(Math.max(age, 0) / minuteMs) * minuteMs : at;
  }

  function relative(at: number): string {
    const minutes = Math.floor((readAt - at) / minuteMs);
    const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
    if (minutes < 1) return format.format(0, "second");
    if (minutes < 60) return format.format(-minutes, "minute");
    const hours = Math.floor(minutes / 60);
    return hours < 24 ? format.format(-hours, "hour") : format.format(-Math.floor(hours / 24), "day");
  }

  function absolute(at: number, style: string): string {
    const day = style === "t" ? {} : ({ dateStyle: "long" } as const);
    return new Intl.DateTimeFormat(locale, { ...day, timeStyle: "short", timeZone: "UTC" }).format(at);
  }

  return { timeOf, relative, absolute };
}

/**
 * Writes what people see, the same in every run. `locale`: the reader's Discord language, for times.
 * `aliases`: replacements for texts that differ from run to run, by those texts.
 */
export function createTranscriber(deps: {
  guild: GuildModel;
  locale: string;
  aliases: ReadonlyMap<string, string>;
  now: () => number;
}) {
  const { guild, locale, aliases, now } = deps;
  const { timeOf, relative, absolute } = createTimes(locale, now);

  function text(markdown: string): string {
    const timed = markdown.replace(/<t:(\d+)(?::(\w))?>/g, (_, seconds, style = "f") =>
      style === "R" ? relative(timeOf(Number(seconds))) : absolute(timeOf(Number(seconds)), style),
    );
    const struck = timed.replace(/(?<!\\)~~([^~]+)~~/g, "~$1~");
    let shown = steady(readable(struck, guild), now());
    for (const [real, alias] of aliases) shown = shown.replaceAll(real, alias);
    return shown.replaceAll("\u00a0", " ").replaceAll("\u202f", " ");
  }

  function lines(component: Component): string[] {
    switch (component.type) {
      case TYPE.textDisplay:
        return text(component.content ?? "").split("\n");
      case TYPE.separator:
        return ["────"];
      case TYPE.gallery:
        return (component.items ?? []).map(({ media, description }) => `(picture: ${description ?? media.url})`);
      case TYPE.file:
        return [text(fileText(component))];
      case TYPE.container:
        return framed(component.accent_color, (component.components ?? []).flatMap(lines));
      case TYPE.row:
        if (component.components?.some(({ type }) => type === TYPE.button)) {
          return [component.components.map(buttonText).join(" ")];
        }
        return (component.components ?? []).flatMap(lines);
      case TYPE.channelSelect:
      case TYPE.roleSelect:
        return [`[${pickedIn(component) ?? component.placeholder ?? ""} ▾]`];
      case TYPE.stringSelect:
        return menuLines(component.placeholder ?? "", component, locale);
      default:
        throw new Error(`no transcript of components of type ${component.type}`);
    }
  }

  /** The chosen entries of a menu of channels or roles. */
  function pickedIn({ type, default_values: picked = [] }: Component): string | undefined {
    const sign = type === TYPE.channelSelect ? "#" : "@&";
    return picked.length === 0 ? undefined : text(picked.map(({ id }) => `<${sign}${id}>`).join(" "));
  }

  function fieldLines({ label = "", description, component }: Component): string[] {
    if (component === undefined) return [];
    const head = [`${label}${component.required === false ? " (may be left out)" : ""}`];
    const hint = description ? [`  ${description}`] : [];
    if (component.type === TYPE.stringSelect) return [...head, ...hint, ...menuLines("choose", component, locale)];
    if (component.type === TYPE.fileUpload) return [...head, ...hint, "  [upload a file]"];
    const written = component.value ?? component.placeholder ?? "";
    return [...head, ...hint, ...written.split("\n").map((line) => `  [${line.padEnd(40, "_")}]`)];
  }

  function embedLines({ title, description, fields = [], footer, timestamp, color }: APIEmbed): string[] {
    const at = timestamp === undefined ? undefined : timeOf(Math.floor(Date.parse(timestamp) / 1_000));
    const small = [footer?.text, at === undefined ? undefined : absolute(at, "f")].filter(Boolean).join(" • ");
    const facts = fields.map(({ name, value }) => `${name}: ${value}`);
    const inner = [title, description, ...facts, small].filter(Boolean).flatMap((part) => text(part ?? "").split("\n"));
    return framed(color, inner);
  }

  return {
    text,
    message(message: ApiMessage): string {
      const { flags = 0, components = [], content, embeds, attachments } = message;
      const seen = (flags & EPHEMERAL) === 0 ? [] : ["(only you can see this)"];
      const body = (components as unknown as readonly Component[]).flatMap(lines);
      return [
        ...(content ? [text(content)] : []),
        ...attached(flags, attachments),
        ...embeds.flatMap(embedLines),
        ...body,
        ...seen,
      ].join("\n");
    },
    modal({ title, components }: OpenedModal): string {
      const fields = components.filter(({ type }) => type === TYPE.label).flatMap(fieldLines);
      const texts = flat(components)
        .filter(({ type }) => type === TYPE.textDisplay)
        .flatMap(lines);
      return [`╔ ${title}`, ...[...texts, ...fields].map((line) => `║ ${line}`), "╚ [Cancel] [Submit]"].join("\n");
    },
    choices: (choices: readonly OfferedChoice[]) =>
      choices.map(({ name }) => `    ${name}`).join("\n") || "    (no suggestions)",
  };
}
