import { el } from "./el.js";
import { markdown } from "./markdown.js";
import { sentAt } from "./timestamps.js";

/** Embeds are in classic messages. */
export function embedView({ title, description, fields = [], footer, timestamp, color }, names) {
  const small = [footer?.text, timestamp && sentAt(timestamp)].filter(Boolean).join(" • ");
  const box = el(
    "div",
    { class: "container embed" },
    ...(title ? [el("p", { class: "embed-title" }, title)] : []),
    ...(description ? [markdown(description, names)] : []),
    el(
      "dl",
      { class: "embed-fields" },
      ...fields.map(({ name, value, inline }) =>
        el("div", { class: inline ? "inline" : "" }, el("dt", {}, name), el("dd", {}, markdown(value, names))),
      ),
    ),
    ...(small ? [el("p", { class: "md-sub embed-footer" }, small)] : []),
  );
  if (color !== undefined) box.style.setProperty("--accent", `#${color.toString(16).padStart(6, "0")}`);
  return box;
}
