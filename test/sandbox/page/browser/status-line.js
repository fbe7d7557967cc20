import { byId, el } from "./el.js";

const states = { running: "Bot running", starting: "Bot starting", ended: "Bot not running" };
const count = new Intl.NumberFormat("en-US");

function ago(at) {
  if (at === undefined) return "none yet";
  const seconds = Math.max(0, Math.round((Date.now() - at) / 1_000));
  return seconds < 60 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
}

/** A poll may take a while; so many intervals without one are no chance. */
const latePolls = 3;

/** One line with what the bot is seen doing. */
export function createStatusLine() {
  const line = byId("status");
  const names = ["bot", "poll", "owed", "store", "discord"];
  const parts = Object.fromEntries(names.map((name) => [name, el("span", { id: `status-${name}` })]));
  line.append(...Object.values(parts));
  let status;
  let open = true;

  const draw = () => {
    if (status === undefined) return;
    parts.bot.textContent = open ? states[status.bot] : "The demo has ended";
    parts.bot.className = open && status.bot === "running" ? "on" : "off";
    const failed = status.lastPollStatus === 200 || status.lastPollStatus === undefined ? "" : " (failed)";
    parts.poll.textContent = `Last poll ${ago(status.lastPollAt)}${failed}`;
    const late = status.lastPollAt !== undefined && Date.now() - status.lastPollAt > latePolls * status.pollIntervalMs;
    parts.poll.className = failed !== "" || late ? "busy" : "";
    parts.owed.textContent = `Alerts owed ${count.format(status.owed)}`;
    parts.owed.className = status.owed > 0 ? "busy" : "";
    parts.store.textContent = `Requests to the store ${count.format(status.storeRequests)}`;
    parts.discord.textContent = `to Discord ${count.format(status.discordRequests)}`;
  };
  setInterval(draw, 1_000);
  return {
    show(next) {
      status = next;
      draw();
    },
    connection(isOpen) {
      open = isOpen;
      draw();
    },
  };
}
