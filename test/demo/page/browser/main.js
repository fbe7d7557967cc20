import "@skyra/discord-components-core/discord-messages.js";
import "@skyra/discord-components-core/discord-mention.js";
import "@skyra/discord-components-core/discord-code.js";
import "@skyra/discord-components-core/discord-time.js";
import { createChannelView } from "./channel-view.js";
import { labelOf, typables } from "./command-model.js";
import { createComposer } from "./composer.js";
import { act, listen } from "./connection.js";
import { byId, el } from "./el.js";
import { createGuide } from "./guide.js";
import { createMessageView } from "./message-view.js";
import { openModal } from "./modal-view.js";
import { createPhone } from "./phone.js";
import { createStatusLine } from "./status-line.js";
import { createStorePanel } from "./store-panel.js";
import { createTabs, createViews } from "./tabs.js";
import { refreshTimestamps } from "./timestamps.js";
import { tokenLine } from "./token-line.js";
import { createTroublePanel } from "./trouble-panel.js";
import { called, preferredLanguage, say, speak } from "./words.js";

const noticeMs = 6_000;

/** The state of the demo, as the page knows it. */
const seen = {
  server: { id: "", name: "", botId: "", roles: [], people: [] },
  channels: [],
  commands: [],
  offered: {},
  /** @type {any} */
  store: { token: "", orders: [] },
  /** @type {any} */
  status: undefined,
  /** @type {{ message: any, ephemeralFor?: string }[]} */
  messages: [],
};
let channelId = "";
const dismissed = new Set();
/** The reader's actions. The guide ticks only those, and nothing that happened by itself. */
const done = new Set();

const persona = byId("persona");
const language = byId("language");
language.value = preferredLanguage();
speak(language.value);
const by = () => persona.value;
const commandLabel = (path) => labelOf(seen.commands, path, language.value);
const inWords = (list) => list.map((thing) => ({ ...thing, name: called(thing.name) }));
const places = () => ({
  channels: inWords(seen.channels),
  roles: inWords(seen.server.roles),
  people: inWords(seen.server.people),
});
const named = (kind) => (id) => places()[kind].find((thing) => thing.id === id)?.name;
const names = {
  channel: named("channels"),
  role: named("roles"),
  person: (id) => (id === seen.server.botId ? "Shopbell" : named("people")(id)),
};

function notice(text) {
  const shown = el("p", {}, text);
  byId("notices").append(shown);
  setTimeout(() => shown.remove(), noticeMs);
}

/** Tells the reader if the action cannot be done. */
async function attempt(action, body) {
  try {
    done.add(action);
    return await act(action, body);
  } catch (error) {
    notice(error.message);
    return undefined;
  }
}

/** Does what a Discord client does with the first answer. */
function follow(result) {
  if (result?.failed) notice(say().noAnswer);
  if (result?.modal === undefined) return;
  const speaker = by();
  const submit = async (fields) => {
    follow(await act("submit", { by: speaker, interactionId: result.modal.interactionId, fields }));
  };
  const token = () => el("div", {}, el("p", { class: "hint" }, say().pasteToken), tokenLine(seen.store.token).element);
  openModal(result.modal, names, submit, { token }, composer.focus);
}

async function press(message, customId, control, values) {
  control.setAttribute("aria-busy", "true");
  const place = { by: by(), channelId: message.channel_id, locale: language.value };
  follow(await attempt("press", { ...place, messageId: message.id, customId, values }));
  control.removeAttribute("aria-busy");
}

const dismiss = (id) => {
  dismissed.add(id);
  channel.remove(id);
};
const channel = createChannelView(
  createMessageView({
    get botId() {
      return seen.server.botId;
    },
    names,
    places,
    press,
    commandLabel,
    dismiss,
  }),
);

const isShown = ({ message, ephemeralFor }) =>
  message.channel_id === channelId &&
  (ephemeralFor === undefined || ephemeralFor === by()) &&
  !dismissed.has(message.id);
const isEphemeral = ({ ephemeralFor }) => ephemeralFor !== undefined;

const showMessages = () =>
  channel.show(
    seen.messages.filter(isShown).map((entry) => ({ message: entry.message, ephemeral: isEphemeral(entry) })),
  );

const statusLine = createStatusLine();
const storePanel = createStorePanel(attempt, () => commandLabel("add-product"));
const troublePanel = createTroublePanel(attempt, storePanel.token, () => commandLabel("store connect"));
const phone = createPhone({ names, serverName: () => seen.server.name });
const views = createViews();
const tabs = createTabs();

const composer = createComposer({
  now: () => ({
    commands: typables(
      seen.commands.filter(({ name }) => seen.offered[by()]?.[channelId]?.includes(name)),
      language.value,
    ),
    channel: names.channel(channelId) ?? "",
    locale: language.value,
    places: places(),
  }),
  say(content) {
    channel.follow();
    return attempt("say", { by: by(), channelId, content });
  },
  async run({ name, subcommand }, options) {
    if (name === "alerts" && subcommand === "route add") guide.mark("route");
    if (name === "import-products") guide.mark("files");
    if (name === "orders" || name === "stats") guide.mark(name);
    channel.follow();
    const place = { by: by(), channelId, locale: language.value };
    follow(await attempt("command", { ...place, name, subcommand, options }));
  },
  async suggest({ name, subcommand }, focused, options) {
    const place = { by: by(), channelId, locale: language.value };
    const { choices = [] } = await act("autocomplete", { ...place, name, subcommand, options, focused });
    return choices;
  },
});

const channelNamed = (name) => seen.channels.find((one) => one.name === name)?.id ?? channelId;

/** Shows the channel as the owner sees it. */
function goToAlerts(name = "new-orders") {
  views.show("chat");
  const owner = seen.server.people.find((person) => person.name === "owner");
  if (owner) persona.value = owner.id;
  goTo(channelNamed(name));
}
const open = (path, given) => {
  goToAlerts();
  composer.open(commandLabel(path), given);
};

/** Returns whether there is a button of this kind. */
function showButton(customId) {
  goToAlerts();
  const button = [...channel.list.querySelectorAll(`[data-custom-id^='${customId}']`)].at(-1);
  // A message that was just drawn can take the focus only after its component has rendered.
  requestAnimationFrame(() => {
    button?.scrollIntoView({ block: "center" });
    button?.focus({ focusVisible: true });
  });
  return button !== undefined;
}

const guide = createGuide({
  commandLabel,
  tries: {
    connect: () => open("store connect"),
    sample() {
      // If the reader dismissed the menus, a command sets the same.
      if (!showButton("store:sample")) open("alerts set");
    },
    take() {
      showButton("order:take");
    },
    order() {
      goToAlerts();
      void attempt("place-orders", { count: 1 });
    },
    paid() {
      const pending = seen.store.orders.find(({ status }) => status === "PENDING");
      if (pending) void attempt("set-status", { id: pending.id, status: "PAID" });
    },
    route: () => open("alerts route add", { name: called("Wins"), channel: channelNamed("wins"), style: "feed" }),
    feed() {
      goToAlerts("wins");
      void attempt("place-orders", { count: 1 });
    },
    orders: () => open("orders"),
    files: () => open("import-products"),
    stats: () => open("stats"),
    trouble() {
      views.show("shop");
      tabs.choose("tab-trouble");
    },
  },
  startOver() {
    goToAlerts();
    void attempt("start-over");
  },
});

/** The demo starts over in the page's language. */
const speakInDemo = () => attempt("language", { locale: language.value });

function goTo(id) {
  channelId = id;
  drawChannels();
  showMessages();
  composer.refresh();
}

function drawChannels() {
  if (!seen.channels.some(({ id }) => id === channelId)) channelId = seen.channels[0]?.id ?? "";
  byId("channels").replaceChildren(
    ...seen.channels.map(({ id, name }) => {
      const current = id === channelId ? "page" : undefined;
      const onclick = () => {
        goTo(id);
        views.show("chat");
      };
      return el(
        "li",
        {},
        el(
          "button",
          { type: "button", "aria-current": current, onclick },
          el("span", { "aria-hidden": "true" }, "#"),
          ` ${called(name)}`,
        ),
      );
    }),
  );
  const { name = "" } = seen.channels.find(({ id }) => id === channelId) ?? {};
  byId("channel-name").textContent = `# ${called(name)}`;
  byId("channel-note").textContent = say().notes[name] ?? "";
}

function drawPeople() {
  const speaking = by();
  persona.replaceChildren(...places().people.map(({ id, name }) => el("option", { value: id }, name)));
  if (seen.server.people.some(({ id }) => id === speaking)) persona.value = speaking;
}

persona.addEventListener("change", () => {
  showMessages();
  composer.refresh();
});
/** Draws everything again in the page's language. */
function redraw() {
  speak(language.value);
  refreshTimestamps(true);
  if (seen.server.id === "") return;
  byId("store-host").textContent = say().host(seen.server.storeHost);
  drawPeople();
  drawChannels();
  showMessages();
  phone.show(seen.messages.filter(isPush).map(({ message }) => message));
  storePanel.show(seen.store);
  if (seen.status) troublePanel.show(seen.status);
  statusLine.draw();
  guide.draw();
  composer.refresh();
}
language.addEventListener("change", () => {
  redraw();
  void speakInDemo();
});
setInterval(() => {
  refreshTimestamps();
  phone.tick();
}, 5_000);

/** Resolves when the demo speaks the page's language. */
let settled = Promise.resolve();

const isPush = (entry) => entry.message.author.id === seen.server.botId && !isEphemeral(entry);

listen(
  {
    server(server) {
      seen.server = server;
      byId("server-name").textContent = server.name;
      byId("store-host").textContent = say().host(server.storeHost);
      if (server.language !== language.value) settled = speakInDemo();
      drawPeople();
    },
    channels({ channels, commands, offered }) {
      const before = channelId;
      Object.assign(seen, { channels, commands, offered });
      drawChannels();
      if (channelId !== before) showMessages();
      guide.draw();
      composer.refresh();
    },
    store(store) {
      seen.store = store;
      storePanel.show(store);
    },
    status(status) {
      seen.status = status;
      statusLine.show(status);
      troublePanel.show(status);
      guide.mark("connect", status.isConnected);
      guide.mark("sample", status.isSetUp);
      if (done.has("trouble") || done.has("kill-bot")) guide.mark("trouble");
    },
    "start-over"({ language: spoken }) {
      const { text } = [...language.options].find(({ value }) => value === spoken);
      notice(say().startedOver(text));
      done.clear();
      for (const name of ["order", "take", "paid", "route", "feed", "orders", "files", "stats", "trouble"])
        guide.mark(name, false);
    },
    messages(messages) {
      seen.messages = messages;
      showMessages();
      phone.show(messages.filter(isPush).map(({ message }) => message));
      void settled.then(() => {
        document.documentElement.dataset.ready = "yes";
      });
    },
    message(entry) {
      seen.messages.push(entry);
      if (isShown(entry)) channel.add(entry.message, isEphemeral(entry));
      if (!isPush(entry)) return;
      phone.ring(entry.message);
      if (done.has("place-orders")) guide.mark("order");
      if (done.has("place-orders") && entry.message.content.includes("🛍️")) guide.mark("feed");
      if (done.has("set-status") && entry.message.content.includes("💰")) guide.mark("paid");
    },
    edit(entry) {
      const index = seen.messages.findLastIndex(({ message }) => message.id === entry.message.id);
      if (index >= 0) seen.messages[index] = entry;
      if (entry.message.content?.includes("🙋")) guide.mark("take");
      if (isShown(entry)) channel.update(entry.message, isEphemeral(entry));
    },
  },
  (open) => statusLine.connection(open),
);
