/**
 * Strings become text, never markup. `on…` functions become listeners. `class` and names with a hyphen become attributes.
 *
 * @param {Record<string, unknown>} [props]
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

/** @returns {any} */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
}

let last = 0;
export function freshId(prefix = "id") {
  last += 1;
  return `${prefix}-${last}`;
}
