/**
 * Makes an element with properties and children. Strings become text, never markup.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} [props] `on…` functions become listeners, `class` and names with a hyphen attributes
 * @param {...(Node | string | undefined | null | false)} children
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "class" || name === "for" || name === "role" || name === "slot" || name.includes("-"))
      element.setAttribute(name, String(value));
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/**
 * Returns the element with this id.
 *
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
}

let last = 0;
/** Returns an id that no other element has. */
export function freshId(prefix = "id") {
  last += 1;
  return `${prefix}-${last}`;
}
