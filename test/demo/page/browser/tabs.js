import { byId } from "./el.js";

/** The arrow keys move between the tabs (ARIA Authoring Practices, "Tabs"). */
export function createTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const choose = (chosen) => {
    for (const tab of tabs) {
      const selected = tab === chosen;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
      byId(tab.getAttribute("aria-controls") ?? "").hidden = !selected;
    }
  };
  for (const [index, tab] of tabs.entries()) {
    byId(tab.getAttribute("aria-controls") ?? "").tabIndex = 0;
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      choose(next);
      next.focus();
    });
  }
  return { choose: (id) => choose(byId(id)) };
}

/** The buttons choose a part of the page. A narrow screen shows one part at a time. */
export function createViews() {
  const app = document.querySelector(".app");
  const buttons = [...document.querySelectorAll(".views button")];
  const show = (view) => {
    app.dataset.view = view;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.view === view));
  };
  for (const button of buttons) button.addEventListener("click", () => show(button.dataset.view));
  return { show };
}
