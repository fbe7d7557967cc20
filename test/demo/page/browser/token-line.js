import { el } from "./el.js";
import { say, word } from "./words.js";

/**
 * Makes a line with the API token that is valid now, and a button that copies the token.
 *
 * @param {string} token
 */
export function tokenLine(token) {
  const shown = el("code", { class: "token" }, token);
  const copy = el("button", { type: "button", class: "button small" }, word("copy"));
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(shown.textContent ?? "");
    copy.textContent = say().copied;
  });
  return {
    element: el("div", { class: "token-line" }, shown, copy),
    /** @param {string} next */
    show(next) {
      if (shown.textContent === next) return;
      shown.textContent = next;
      copy.replaceChildren(word("copy"));
    },
  };
}
