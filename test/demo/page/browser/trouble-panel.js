import { byId, el } from "./el.js";
import { say, word } from "./words.js";

const troubles = ["store-down", "store-slow", "store-limited", "token-refused", "channel-deleted", "discord-failing"];

/** Within this time after a switch was thrown, statuses from before may still arrive. */
const settleMs = 1_000;

/** `token` shows the valid token. `connectLabel` returns the command that takes it. */
export function createTroublePanel(act, token, connectLabel) {
  const panel = byId("panel-trouble");
  const switches = new Map();
  /** Switches that the reader threw a moment ago. An older status must not throw them back. @type {Set<string>} */
  const thrown = new Set();
  const state = el("span", { class: "badge" });
  const kill = el(
    "button",
    { type: "button", class: "button danger", onclick: () => act("kill-bot") },
    word("killBot"),
  );
  const start = el(
    "button",
    { type: "button", class: "button success", onclick: () => act("start-bot") },
    word("startBot"),
  );
  const rows = troubles.map((name) => {
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
      el("label", { for: box.id }),
      el("p", { id: `hint-${name}`, class: "hint" }),
    );
  });
  const tokenHint = el("p", { class: "hint" });
  panel.append(
    el(
      "section",
      { class: "bot", "aria-label": say().bot, "data-say-label": "bot" },
      el("h3", {}, word("botIs"), state),
      el("div", { class: "actions" }, kill, start),
    ),
    el("h3", {}, word("canGoWrong")),
    ...rows,
    el("h3", {}, word("token")),
    tokenHint,
    token,
  );

  return {
    show({ bot, troubles: on }) {
      for (const [index, name] of troubles.entries()) {
        const [label, hint] = say().troubles[name];
        rows[index].querySelector("label").textContent = label;
        rows[index].querySelector(".hint").textContent = hint;
      }
      tokenHint.textContent = say().tokenHint(connectLabel());
      for (const [name, box] of switches) {
        if (box.checked === on[name]) thrown.delete(name);
        else if (!thrown.has(name)) box.checked = on[name];
      }
      state.textContent = say().botStates[bot];
      state.className = `badge ${bot === "running" ? "good" : bot === "starting" ? "waiting" : "ended"}`;
      kill.disabled = bot === "ended";
      start.disabled = bot !== "ended";
    },
  };
}
