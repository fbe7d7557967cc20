import { byId, el } from "./el.js";
import { markdown } from "./markdown.js";
import { sentAt } from "./timestamps.js";
import { language } from "./words.js";

/** As many pushes as a phone's screen shows at once. */
const keptPushes = 4;
const marks = { channel: "#", role: "@", user: "@", slash: "/" };

/** As a push shows a message's content: mentions as names, and no markdown. */
export function pushText(content, names) {
  const block = markdown(content, names);
  for (const mention of block.querySelectorAll("discord-mention")) {
    mention.replaceWith(`${marks[mention.type] ?? ""}${mention.textContent}`);
  }
  const lines = [...block.children].map(({ textContent }) => textContent);
  return lines.filter((line) => line.trim() !== "").join("\n");
}

/**
 * Shows a locked phone with the newest messages of the bot, as pushes.
 *
 * @param {{ names: import("./markdown.js").Names, serverName: () => string }} of
 */
export function createPhone({ names, serverName }) {
  const list = byId("phone");
  /** Newest first. @type {any[]} */
  let rung = [];

  const push = (message) => {
    const channel = names.channel(message.channel_id) ?? "";
    return el(
      "li",
      { class: "push", "data-push": message.id },
      el(
        "p",
        { class: "push-app" },
        el("span", {}, "Discord"),
        el("time", { dateTime: message.timestamp }, sentAt(message.timestamp)),
      ),
      el("img", { src: "/page/shopbell.svg", alt: "", width: 32, height: 32 }),
      el(
        "div",
        {},
        el("p", { class: "push-from" }, el("b", {}, message.author.username), ` #${channel}, ${serverName()}`),
        el("p", { class: "push-text" }, pushText(message.content, names)),
      ),
    );
  };

  function tick() {
    const now = new Date();
    byId("phone-time").textContent = new Intl.DateTimeFormat(language(), { timeStyle: "short" }).format(now);
    byId("phone-date").textContent = new Intl.DateTimeFormat(language(), {
      weekday: "long",
      day: "numeric",
      month: "long",
    }).format(now);
  }
  const isEmpty = () => {
    byId("phone-empty").hidden = rung.length > 0;
  };

  return {
    tick,
    /** Shows earlier messages, the oldest first, without a ring. */
    show(messages) {
      rung = messages.slice(-keptPushes).reverse();
      list.replaceChildren(...rung.map(push));
      isEmpty();
      tick();
    },
    ring(message) {
      rung = [message, ...rung].slice(0, keptPushes);
      const element = push(message);
      element.classList.add("fresh");
      list.prepend(element);
      while (list.children.length > keptPushes) list.lastElementChild?.remove();
      isEmpty();
      tick();
    },
  };
}
