import { el } from "./el.js";
import { en } from "./texts-en.js";
import { es } from "./texts-es.js";
import { pt } from "./texts-pt.js";

const texts = { "en-US": en, "pt-BR": pt, "es-ES": es };
let locale = "en-US";

/** As Discord and `Intl` name it. */
export const language = () => locale;

export const inDigits = (count) => new Intl.NumberFormat(locale).format(count);

export const say = () => texts[locale];

/** The name of a person, role or channel in the page's language. Names that the reader gave stay as they are. */
export const called = (name) => (Object.hasOwn(say().called, name) ? say().called[name] : name);

/** The first of the browser's languages that the page speaks. */
export function preferredLanguage() {
  const known = Object.keys(texts);
  for (const wanted of navigator.languages) {
    const found = known.find((name) => name.slice(0, 2) === wanted.slice(0, 2).toLowerCase());
    if (found !== undefined) return found;
  }
  return "en-US";
}

/** An element whose text follows the page's language. `key`: of a text without arguments. */
export const word = (key) => el("span", { "data-say": key }, say()[key]);

/** Changes the texts of all elements with a key: `data-say` is for an element's text, `data-say-label` for its name. */
export function speak(next) {
  locale = next;
  document.documentElement.lang = next;
  document.title = say().title;
  // The word is inside a component, which only a custom property of CSS can reach.
  document.documentElement.style.setProperty("--edited", JSON.stringify(say().edited));
  for (const element of document.querySelectorAll("[data-say]")) element.textContent = say()[element.dataset.say];
  for (const element of document.querySelectorAll("[data-say-label]")) {
    element.setAttribute("aria-label", say()[element.dataset.sayLabel]);
  }
}
