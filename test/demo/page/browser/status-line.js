import { byId, el } from "./el.js";
import { inDigits, language, say } from "./words.js";

function ago(at) {
  const seconds = Math.max(0, Math.round((Date.now() - at) / 1_000));
  const format = new Intl.RelativeTimeFormat(language(), { style: "narrow" });
  return seconds < 60 ? format.format(-seconds, "second") : format.format(-Math.round(seconds / 60), "minute");
}

/** A poll is late after so many intervals. Fewer may be chance, because a poll takes some time. */
const latePolls = 3;

/** The state of the bot, as seen from outside. */
export function createStatusLine() {
  const line = byId("status");
  const names = ["bot", "poll", "owed"];
  const parts = Object.fromEntries(names.map((name) => [name, el("span", { id: `status-${name}` })]));
  line.append(...Object.values(parts));
  let status;
  let open = true;

  const drawPoll = () => {
    const { lastPollAt, lastPollStatus, pollIntervalMs } = status;
    parts.poll.hidden = lastPollAt === undefined;
    if (lastPollAt === undefined) return;
    const failed = lastPollStatus === 200 ? "" : say().pollFailed;
    parts.poll.textContent = `${say().lastPoll(ago(lastPollAt))}${failed}`;
    const late = Date.now() - lastPollAt > latePolls * pollIntervalMs;
    parts.poll.className = failed !== "" || late ? "busy" : "";
  };
  const draw = () => {
    if (status === undefined) return;
    parts.bot.textContent = open ? say().doing[status.bot] : say().demoEnded;
    parts.bot.className = open && status.bot === "running" ? "on" : "off";
    drawPoll();
    parts.owed.textContent = say().owed(inDigits(status.owed));
    parts.owed.className = status.owed > 0 ? "busy" : "";
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
