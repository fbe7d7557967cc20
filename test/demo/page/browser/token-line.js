import { el } from "./el.js";
import { say, word } from "./words.js";

/** A line with the valid API token, and a button that copies it. */
export function tokenLine(token) {
  const shown = el("code", { class: "token" }, token);
  const copy = el("button", { type: "button", class: "button small" }, word("copy"));
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(shown.textContent ?? "");
    copy.textContent = say().copied;
  });
  return {
    element: el("div", { class: "token-line" }, shown, copy),
    show(next) {
      if (shown.textContent === next) return;
      shown.textContent = next;
      copy.replaceChildren(word("copy"));
    },
  };
}
