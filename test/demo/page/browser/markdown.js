import { el } from "./el.js";
import { timestamp } from "./timestamps.js";
import { called } from "./words.js";

/**
 * @typedef {object} Names
 * @property {(id: string) => string | undefined} channel
 * @property {(id: string) => string | undefined} role
 * @property {(id: string) => string | undefined} person
 */

const inline = [
  [/^\\([^\w\s])|^\\(_)/, (match) => match[1] ?? match[2]],
  [/^``(.+?)``(?!`)|^`([^`\n]+)`/, (match) => el("discord-code", {}, (match[1] ?? match[2]).trim())],
  [/^\*\*((?:\\.|[^\\])+?)\*\*(?!\*)/, (match, names) => el("strong", {}, ...inlineNodes(match[1], names))],
  [/^~~((?:\\.|[^\\])+?)~~/, (match, names) => el("s", {}, ...inlineNodes(match[1], names))],
  [/^\*(?=\S)((?:\\.|[^\\*])+?)\*/, (match, names) => el("em", {}, ...inlineNodes(match[1], names))],
  [/^_(?=\S)((?:\\.|[^\\_])+?)_(?!\w)/, (match, names) => el("em", {}, ...inlineNodes(match[1], names))],
  [/^<t:(-?\d{1,13})(?::([tfFR]))?>/, (match) => timestamp(Number(match[1]), match[2] ?? "f")],
  [/^<#(\d+)>/, (match, names) => mention("channel", names.channel(match[1]) ?? called("unknown"))],
  [/^<@&(\d+)>/, (match, names) => mention("role", names.role(match[1]) ?? called("unknown"))],
  [/^<@!?(\d+)>/, (match, names) => mention("user", names.person(match[1]) ?? called("unknown"))],
  [/^<\/([^:>]+):\d+>/, (match) => mention("slash", match[1])],
  [/^\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/, (match, names) => link(match[2], inlineNodes(match[1], names))],
  [/^https?:\/\/[^\s<>)]+/, (match) => link(match[0], [match[0]])],
];

/**
 * Knows what the bot uses of Discord's markdown in one line. Everything else becomes text.
 *
 * @param {string} text
 * @param {Names} names
 * @returns {(Node | string)[]}
 */
function inlineNodes(text, names) {
  const nodes = [];
  let plain = "";
  let rest = text;
  let before = "";
  while (rest !== "") {
    const inWord = rest[0] === "_" && /\w/.test(before);
    const found = inWord ? undefined : firstMatch(rest);
    if (found === undefined) {
      const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      plain += character;
      before = character;
      rest = rest.slice(character.length);
      continue;
    }
    if (plain !== "") nodes.push(plain);
    plain = "";
    nodes.push(found.make(found.match, names));
    before = "";
    rest = rest.slice(found.match[0].length);
  }
  if (plain !== "") nodes.push(plain);
  return nodes;
}

function firstMatch(text) {
  for (const [pattern, make] of inline) {
    const match = pattern.exec(text);
    if (match !== null) return { match, make };
  }
  return undefined;
}

const mention = (type, name) => el("discord-mention", { type }, name);
const link = (href, children) => el("a", { href, target: "_blank", rel: "noopener noreferrer" }, ...children);

/** Knows headings of the third level, subtext, lists and lines. */
export function markdown(text, names) {
  const lines = text === "" ? [] : text.replace(/^\n|\n$/g, "").split("\n");
  return el("div", { class: "md" }, ...lines.map((line) => lineView(line, names)));
}

function lineView(line, names) {
  const [, mark, rest] = /^(###|-#|-) (.+)/.exec(line) ?? [];
  if (mark === "###") return el("p", { class: "md-heading" }, ...inlineNodes(rest, names));
  if (mark === "-#") return el("p", { class: "md-sub" }, ...inlineNodes(rest, names));
  if (mark === "-") return el("p", { class: "md-item" }, "• ", ...inlineNodes(rest, names));
  if (line.trim() === "") return el("p", { class: "md-gap" });
  return el("p", {}, ...inlineNodes(line, names));
}
