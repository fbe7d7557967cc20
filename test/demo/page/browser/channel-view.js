import { byId, el } from "./el.js";
import { say } from "./words.js";

/** How near to the end counts as reading along, in pixels. */
const nearPx = 120;

/**
 * The messages of one channel, as one person sees them.
 *
 * @param {{ draw: Function, update: Function }} view
 */
export function createChannelView(view) {
  const scroller = byId("scroller");
  // A region that scrolls has to be reached by the keyboard.
  scroller.tabIndex = 0;
  const newer = byId("newer");
  const list = el("discord-messages", {
    role: "log",
    "aria-label": say().messages,
    "data-say-label": "messages",
    "no-background": "",
  });
  scroller.append(list);
  /** @type {Map<string, HTMLElement>} */
  const elements = new Map();

  const atEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < nearPx;
  let following = true;
  let lastTop = 0;
  const toEnd = () => {
    scroller.scrollTop = scroller.scrollHeight;
    lastTop = scroller.scrollTop;
    newer.hidden = true;
  };
  const follow = () => {
    following = true;
    toEnd();
  };
  scroller.addEventListener("scroll", () => {
    // The end may have moved on since the page itself scrolled to it: only whoever goes up stops reading along.
    if (atEnd()) following = true;
    else if (scroller.scrollTop < lastTop) following = false;
    lastTop = scroller.scrollTop;
    if (following) newer.hidden = true;
  });
  newer.addEventListener("click", follow);
  // Messages come in crowds, draw themselves a moment later, and pictures load: whoever reads along stays at the end,
  // at the price of one layout for each frame.
  new ResizeObserver(() => following && toEnd()).observe(list);
  new ResizeObserver(() => following && toEnd()).observe(scroller);

  return {
    list,
    /** @param {{ message: any, ephemeral: boolean }[]} messages */
    show(messages) {
      elements.clear();
      list.replaceChildren(
        ...messages.map(({ message, ephemeral }) => {
          const element = view.draw(message, ephemeral);
          elements.set(message.id, element);
          return element;
        }),
      );
      follow();
    },
    /** To the end, and along with what comes. */
    follow,
    add(message, ephemeral) {
      const element = view.draw(message, ephemeral);
      element.classList.add("fresh");
      elements.set(message.id, element);
      list.append(element);
      newer.hidden = following;
    },
    update(message, ephemeral) {
      const element = elements.get(message.id);
      if (element === undefined) return;
      view.update(element, message, ephemeral);
      if (ephemeral) return;
      element.classList.remove("changed");
      // A class that comes back has to leave for a frame to be noticed.
      requestAnimationFrame(() => element.classList.add("changed"));
    },
    remove(id) {
      elements.get(id)?.remove();
      elements.delete(id);
    },
  };
}
