import { TYPE } from "./component-types.js";
import { el } from "./el.js";
import { markdown } from "./markdown.js";
import { menu } from "./menu-view.js";

/** Pictures and files that the bot sent come from the page's own server. */
export function uploaded(address) {
  const { hostname, pathname, search } = new URL(address, location.href);
  return hostname === location.hostname && pathname.startsWith("/attachments/") ? pathname + search : address;
}

const buttonStyles = { 1: "primary", 2: "secondary", 3: "success", 4: "danger" };

/**
 * @typedef {object} Scene what a message's components need
 * @property {import("./markdown.js").Names} names
 * @property {(customId: string, control: HTMLElement, values?: string[]) => void} press
 * @property {() => { channels: any[], roles: any[] }} places for menus
 */

const drawn = {
  [TYPE.row]: (row, scene) => el("div", { class: "row" }, ...componentsView(row.components, scene)),
  [TYPE.button]: button,
  [TYPE.stringSelect]: menu,
  [TYPE.roleSelect]: menu,
  [TYPE.channelSelect]: menu,
  [TYPE.textDisplay]: (text, { names }) => markdown(text.content, names),
  [TYPE.gallery]: (gallery) => el("div", { class: "gallery" }, ...gallery.items.map(picture)),
  [TYPE.file]: (file) => el("a", { class: "file", href: uploaded(file.file.url) }, `📎 ${file.name ?? "file"}`),
  [TYPE.separator]: () => el("hr", { class: "separator" }),
  [TYPE.container]: container,
};

/** @param {any[]} components @param {Scene} scene @returns {HTMLElement[]} */
export function componentsView(components, scene) {
  return components.map((component) => {
    const draw = drawn[component.type];
    return draw
      ? draw(component, scene)
      : el("p", { class: "md-sub" }, `(component ${component.type} is not drawn here)`);
  });
}

function container(component, scene) {
  const box = el("div", { class: "container" }, ...componentsView(component.components, scene));
  const color = component.accent_color;
  if (color !== null && color !== undefined) {
    box.style.setProperty("--accent", `#${color.toString(16).padStart(6, "0")}`);
  }
  return box;
}

function button(component, { press }) {
  const emoji = component.emoji?.name && el("span", { "aria-hidden": "true" }, component.emoji.name);
  const control = el(
    "button",
    {
      type: "button",
      class: `button ${buttonStyles[component.style] ?? "secondary"}`,
      disabled: component.disabled ?? false,
      "data-custom-id": component.custom_id,
      onclick: () => press(component.custom_id, control),
    },
    emoji,
    component.label ?? "",
  );
  return control;
}

/** Says so if the picture cannot be loaded, for example because a shop's server is down. */
function picture({ media, description }) {
  const frame = el("div");
  const image = el("img", {
    src: uploaded(media.url),
    alt: description ?? "",
    loading: "lazy",
    referrerPolicy: "no-referrer",
  });
  image.addEventListener("error", () => {
    const name = decodeURIComponent(new URL(media.url).pathname.split("/").at(-1) ?? "");
    image.replaceWith(el("span", { class: "no-picture" }, `🖼 ${name}`));
  });
  frame.append(image);
  return frame;
}
