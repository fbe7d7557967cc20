import { byId, el } from "./el.js";

const troubles = [
  ["store-down", "The store is down", "Connections are refused."],
  ["store-slow", "The store is slow", "Every answer takes 5 s longer."],
  ["store-limited", "The store limits requests", "It answers 429."],
  ["token-refused", "The store refuses the token", "A new one was made: copy it below, then /store connect."],
  ["channel-deleted", "#new-orders is deleted", "Its messages come back with it."],
  ["discord-failing", "Discord fails", "Messages to channels are answered with 503."],
];

const states = { running: "running", starting: "starting", ended: "not running" };

/** What the page was told before it learned of a switch that was thrown arrives within this time. */
const settleMs = 1_000;

/**
 * Switches for what can go wrong.
 *
 * @param {(action: string, body?: object) => Promise<void>} act
 * @param {HTMLElement} token shows the token that is valid now
 */
export function createTroublePanel(act, token) {
  const panel = byId("panel-trouble");
  /** @type {Map<string, any>} */
  const switches = new Map();
  /** Thrown by the reader, and not yet told of: an older status must not throw them back. @type {Set<string>} */
  const thrown = new Set();
  const state = el("span", { class: "badge" });
  const kill = el("button", { type: "button", class: "button danger", onclick: () => act("kill-bot") }, "Kill the bot");
  const start = el(
    "button",
    { type: "button", class: "button success", onclick: () => act("start-bot") },
    "Start it again",
  );
  const rows = troubles.map(([name, label, hint]) => {
    const box = el("input", {
      type: "checkbox",
      role: "switch",
      id: `trouble-${name}`,
      "aria-describedby": `hint-${name}`,
    });
    box.addEventListener("change", async () => {
      thrown.add(name);
      await act("trouble", { name, on: box.checked });
      setTimeout(() => thrown.delete(name), settleMs);
    });
    switches.set(name, box);
    return el(
      "div",
      { class: "trouble" },
      box,
      el("label", { for: box.id }, label),
      el("p", { id: `hint-${name}`, class: "hint" }, hint),
    );
  });
  const copy = el("button", { type: "button", class: "button small" }, "Copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(token.textContent ?? "");
    copy.textContent = "Copied";
  });
  panel.append(
    el(
      "section",
      { class: "bot", "aria-label": "The bot" },
      el("h3", {}, "The bot is ", state),
      el("div", { class: "actions" }, kill, start),
    ),
    el("h3", {}, "What can go wrong"),
    ...rows,
    el("h3", {}, "API token"),
    el("p", { class: "hint" }, "What /store connect asks for. Only this pretend store takes it."),
    el("div", { class: "token-line" }, token, copy),
  );

  return {
    /** @param {any} status */
    show({ bot, troubles: on }) {
      for (const [name, box] of switches) {
        if (box.checked === on[name]) thrown.delete(name);
        else if (!thrown.has(name)) box.checked = on[name];
      }
      state.textContent = states[bot];
      state.className = `badge ${bot === "running" ? "good" : bot === "starting" ? "waiting" : "ended"}`;
      kill.disabled = bot === "ended";
      start.disabled = bot !== "ended";
    },
  };
}
