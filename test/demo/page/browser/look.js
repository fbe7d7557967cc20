import { byId } from "./el.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Makes the page light or dark, as the system is or as the reader chose. @param {(light: boolean) => void} changed */
export function createLook(changed) {
  const choice = byId("theme");
  const apply = () => {
    const light = choice.value === "auto" ? !dark.matches : choice.value === "light";
    document.documentElement.dataset.theme = light ? "light" : "dark";
    changed(light);
  };
  choice.addEventListener("change", apply);
  dark.addEventListener("change", apply);
  apply();
}
