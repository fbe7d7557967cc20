import { commandForm } from "./command-form.js";
import { byId, el } from "./el.js";
import { listBox } from "./list-box.js";
import { say as page } from "./words.js";

/** The commands that the typed text may mean. A whole match comes before a beginning: /order before /orders. */
function fitting(commands, typed) {
  const words = typed.slice(1).split(/\s+/).filter(Boolean);
  const distance = ({ label }) => (label === typed ? 0 : label.startsWith(typed) ? 1 : 2);
  return commands
    .filter(({ label }) => words.every((word) => label.includes(word)))
    .sort((one, other) => distance(one) - distance(other))
    .map((command) => ({ label: command.label, hint: command.hint, value: command }));
}

function messageInput() {
  const input = el("input", { type: "text", id: "message", class: "message", autocomplete: "off", maxLength: 2_000 });
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-haspopup", "listbox");
  return input;
}

function slashButton(onclick) {
  const label = { "aria-label": page().showCommands, "data-say-label": "showCommands" };
  return el("button", { type: "button", class: "slash", ...label, onclick }, "/");
}

/** As in Discord, a slash begins a command, except in inputs and menus. */
function onSlash(begin) {
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.closest("input, textarea, select, dialog, [role=combobox]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    begin("/");
  });
}

/**
 * Makes the line below the messages, for a message or a slash command.
 *
 * @param {object} of
 * @param {() => { commands: import("./command-model.js").Typable[], channel: string, locale: string, places: any }} of.now
 * @param {(text: string) => Promise<void>} of.say
 * @param {(command: any, options: Record<string, unknown>) => Promise<void>} of.run
 * @param {(command: any, focused: string, options: Record<string, unknown>) => Promise<any[]>} of.suggest
 */
export function createComposer({ now, say, run, suggest }) {
  const place = byId("composer");
  const input = messageInput();
  const list = listBox({
    label: () => page().commands,
    owner: input,
    empty: () => page().noCommand,
    onPick: (entry) => open(entry.value),
  });
  const line = el(
    "div",
    { class: "line" },
    slashButton(() => begin("/")),
    input,
    list.element,
  );

  function begin(text) {
    back();
    input.value = text;
    input.focus();
    offer();
  }

  function offer() {
    const typed = input.value.trim().toLowerCase();
    if (!typed.startsWith("/")) return list.close();
    list.show(fitting(now().commands, typed));
  }

  function back() {
    list.close();
    input.value = "";
    if (!line.isConnected) place.replaceChildren(line);
  }

  function open(command, given = {}) {
    list.close();
    const { locale, places } = now();
    const done = () => {
      back();
      input.focus();
    };
    const form = commandForm({
      command,
      given,
      locale,
      places,
      suggest: (focused, options) => suggest(command, focused, options),
      async send(options) {
        await run(command, options);
        done();
      },
      cancel: done,
    });
    place.replaceChildren(form.element);
    form.focus();
  }

  input.addEventListener("input", offer);
  input.addEventListener("blur", () => list.close());
  input.addEventListener("keydown", async (event) => {
    if (list.key(event)) return;
    const text = input.value.trim();
    if (event.key !== "Enter" || text === "" || text.startsWith("/")) return;
    input.value = "";
    await say(text);
  });
  onSlash(begin);
  place.replaceChildren(line);

  return {
    focus: () => input.focus(),
    /** Opens a command's form with these values, or sends a command without options. Says so if it is not offered. */
    open(label, given) {
      const command = now().commands.find((one) => one.label === label);
      if (command === undefined) begin(label);
      else if (command.options.length === 0) void run(command, {});
      else open(command, given);
    },
    /** Call this after the speaker, the language or the channel changed. */
    refresh() {
      const { channel } = now();
      input.placeholder = page().writeIn(channel);
      input.setAttribute("aria-label", page().writeInLabel(channel));
      if (!line.isConnected) back();
    },
  };
}
