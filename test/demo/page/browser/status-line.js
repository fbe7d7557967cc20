import { byId, el } from "./el.js";
import { inDigits, language, say } from "./words.js";

function ago(at) {
  if (at === undefined) return say().neverPolled;
  const seconds = Math.max(0, Math.round((Date.now() - at) / 1_000));
  const format = new Intl.RelativeTimeFormat(language(), { style: "narrow" });
  return seconds < 60 ? format.format(-seconds, "second") : format.format(-Math.round(seconds / 60), "minute");
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
    parts.bot.textContent = open ? say().doing[status.bot] : say().demoEnded;
    parts.bot.className = open && status.bot === "running" ? "on" : "off";
    const failed = status.lastPollStatus === 200 || status.lastPollStatus === undefined ? "" : say().pollFailed;
    parts.poll.textContent = `${say().lastPoll(ago(status.lastPollAt))}${failed}`;
    const late = status.lastPollAt !== undefined && Date.now() - status.lastPollAt > latePolls * status.pollIntervalMs;
    parts.poll.className = failed !== "" || late ? "busy" : "";
    parts.owed.textContent = say().owed(inDigits(status.owed));
    parts.owed.className = status.owed > 0 ? "busy" : "";
    parts.store.textContent = say().storeRequests(inDigits(status.storeRequests));
    parts.discord.textContent = say().discordRequests(inDigits(status.discordRequests));
  };
  setInterval(draw, 1_000);
  return {
    draw,
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
