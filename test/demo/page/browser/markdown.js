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
  [/^__((?:\\.|[^\\])+?)__(?!_)/, (match, names) => el("u", {}, ...inlineNodes(match[1], names))],
  [/^~~((?:\\.|[^\\])+?)~~/, (match, names) => el("s", {}, ...inlineNodes(match[1], names))],
  [/^\|\|((?:\\.|[^\\])+?)\|\|/, (match, names) => spoiler(inlineNodes(match[1], names))],
  [/^\*(?=\S)((?:\\.|[^\\*])+?)\*/, (match, names) => el("em", {}, ...inlineNodes(match[1], names))],
  [/^_(?=\S)((?:\\.|[^\\_])+?)_(?!\w)/, (match, names) => el("em", {}, ...inlineNodes(match[1], names))],
  [/^<t:(-?\d{1,13})(?::([tTdDfFR]))?>/, (match) => timestamp(Number(match[1]), match[2] ?? "f")],
  [/^<#(\d+)>/, (match, names) => mention("channel", names.channel(match[1]) ?? called("unknown"))],
  [/^<@&(\d+)>/, (match, names) => mention("role", names.role(match[1]) ?? called("unknown"))],
  [/^<@!?(\d+)>/, (match, names) => mention("user", names.person(match[1]) ?? called("unknown"))],
  [/^<\/([^:>]+):\d+>/, (match) => mention("slash", match[1])],
  [/^\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/, (match, names) => link(match[2], inlineNodes(match[1], names))],
  [/^https?:\/\/[^\s<>)]+/, (match) => link(match[0], [match[0]])],
];

/**
 * Knows only Discord's markdown in one line. Everything else becomes text.
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

function spoiler(children) {
  const shown = el(
    "button",
    { type: "button", class: "spoiler", "aria-expanded": "false" },
    el("span", {}, ...children),
  );
  shown.addEventListener("click", () => shown.setAttribute("aria-expanded", "true"));
  return shown;
}

/** Knows headings, subtext, quotes, lists, code blocks and lines. */
export function markdown(text, names) {
  const block = el("div", { class: "md" });
  const parts = text.split(/```(?:[a-z0-9+-]*\n)?([\s\S]*?)```/g);
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) block.append(el("pre", { class: "md-pre", tabIndex: 0 }, part));
    else if (part !== "") appendLines(block, part, names);
  }
  return block;
}

const blocks = [
  [/^(#{1,3}) (.+)/, (match, names) => el("p", { class: `md-h${match[1].length}` }, ...inlineNodes(match[2], names))],
  [/^-# (.+)/, (match, names) => el("p", { class: "md-sub" }, ...inlineNodes(match[1], names))],
  [/^> (.+)/, (match, names) => el("blockquote", { class: "md-quote" }, ...inlineNodes(match[1], names))],
  [/^[-*] (.+)/, (match, names) => el("p", { class: "md-item" }, "• ", ...inlineNodes(match[1], names))],
];

function appendLines(block, text, names) {
  for (const line of text.replace(/^\n|\n$/g, "").split("\n")) {
    const [found, make] = firstBlock(line);
    if (found !== null) block.append(make(found, names));
    else if (line.trim() === "") block.append(el("p", { class: "md-gap" }));
    else block.append(el("p", { class: "md-line" }, ...inlineNodes(line, names)));
  }
}

function firstBlock(line) {
  for (const [pattern, make] of blocks) {
    const match = pattern.exec(line);
    if (match !== null) return [match, make];
  }
  return [null, undefined];
}
