import { el } from "./el.js";
import { en } from "./texts-en.js";
import { es } from "./texts-es.js";
import { pt } from "./texts-pt.js";

const texts = { "en-US": en, "pt-BR": pt, "es-ES": es };
let locale = "en-US";

/** The page's language, as Discord and `Intl` name it. */
export const language = () => locale;

/** A count, in its digits. */
export const inDigits = (count) => new Intl.NumberFormat(locale).format(count);

/** What the page says, in its language. */
export const say = () => texts[locale];

/** A person, a role or a channel of the pretend server, in the page's language; as it came where somebody else named it. */
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

/**
 * A text of the page that follows its language.
 *
 * @param {string} key of a text without arguments
 */
export const word = (key) => el("span", { "data-say": key }, say()[key]);

/**
 * Changes the page's language, and all of the document that says its key: `data-say` for the text of an element,
 * `data-say-label` for its name.
 *
 * @param {string} next
 */
export function speak(next) {
  locale = next;
  document.documentElement.lang = next;
  document.title = say().title;
  // The word stands inside a component, where only a property of the style reaches.
  document.documentElement.style.setProperty("--edited", JSON.stringify(say().edited));
  for (const element of document.querySelectorAll("[data-say]")) element.textContent = say()[element.dataset.say];
  for (const element of document.querySelectorAll("[data-say-label]")) {
    element.setAttribute("aria-label", say()[element.dataset.sayLabel]);
  }
}
