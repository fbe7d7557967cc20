import { byId, el } from "./el.js";
import { say } from "./words.js";

/** At most this far from the end, the reader follows new messages. */
const nearPx = 120;

/** Shows the messages of a channel, as one person sees them. */
export function createChannelView(view) {
  const scroller = byId("scroller");
  // The keyboard has to reach a region that scrolls.
  scroller.tabIndex = 0;
  const newer = byId("newer");
  const list = el("discord-messages", {
    role: "log",
    "aria-label": say().messages,
    "data-say-label": "messages",
    "no-background": "",
  });
  scroller.append(list);
  const light = matchMedia("(prefers-color-scheme: light)");
  const dress = () => {
    list.lightTheme = light.matches;
  };
  light.addEventListener("change", dress);
  dress();
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
    // The end may have moved since the page scrolled to it. So only a reader who scrolls up stops following.
    if (atEnd()) following = true;
    else if (scroller.scrollTop < lastTop) following = false;
    lastTop = scroller.scrollTop;
    if (following) newer.hidden = true;
  });
  newer.addEventListener("click", follow);
  // Many messages may come at once, and pictures load later. A reader who follows stays at the end.
  // This costs one layout in each frame.
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
      // The browser notices a class again only after a frame without it.
      requestAnimationFrame(() => element.classList.add("changed"));
    },
    remove(id) {
      elements.get(id)?.remove();
      elements.delete(id);
    },
  };
}
