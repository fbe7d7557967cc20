import { el } from "./el.js";
import { language } from "./words.js";

/** Those that the bot uses (docs: Reference, "Timestamp Styles"), and F for titles. */
const styles = {
  t: { timeStyle: "short" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
};

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

function relative(seconds) {
  const away = seconds - Date.now() / 1_000;
  const [unit, size] = units.find(([, length]) => Math.abs(away) >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(language(), { numeric: "auto" }).format(Math.trunc(away / size), unit);
}

const textOf = (seconds, style) =>
  style === "R" ? relative(seconds) : new Intl.DateTimeFormat(language(), styles[style]).format(seconds * 1_000);

/** A time in the reader's zone and language. `seconds`: since 1970. `style`: one of t f F R. */
export function timestamp(seconds, style) {
  const date = new Date(seconds * 1_000);
  if (Number.isNaN(date.getTime())) return String(seconds);
  const full = new Intl.DateTimeFormat(language(), styles.F).format(date);
  const time = el("time", { dateTime: date.toISOString(), title: full, "data-t": seconds, "data-style": style });
  time.textContent = textOf(seconds, style);
  return el("discord-time", {}, time);
}

/** Updates times such as "3 minutes ago". `all`: also other times, after the language changed. */
export function refreshTimestamps(all = false) {
  for (const time of document.querySelectorAll(all ? "time[data-t]" : "time[data-style=R]")) {
    const text = textOf(Number(time.dataset.t), time.dataset.style);
    if (time.textContent !== text) time.textContent = text;
  }
}

/** When a message was sent, as Discord writes it beside the name. */
export function sentAt(iso) {
  const date = new Date(iso);
  const time = new Intl.DateTimeFormat(language(), { timeStyle: "short" }).format(date);
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${new Intl.DateTimeFormat(language(), { dateStyle: "short" }).format(date)} ${time}`;
}
