import "@skyra/discord-components-core/discord-messages.js";
import "@skyra/discord-components-core/discord-mention.js";
import "@skyra/discord-components-core/discord-code.js";
import "@skyra/discord-components-core/discord-time.js";
import { createChannelView } from "./channel-view.js";
import { typables } from "./command-model.js";
import { createComposer } from "./composer.js";
import { act, listen } from "./connection.js";
import { byId, el } from "./el.js";
import { createGuide } from "./guide.js";
import { createLook } from "./look.js";
import { createMessageView } from "./message-view.js";
import { openModal } from "./modal-view.js";
import { createStatusLine } from "./status-line.js";
import { createStorePanel } from "./store-panel.js";
import { createTabs, createViews } from "./tabs.js";
import { refreshTimestamps } from "./timestamps.js";
import { createTroublePanel } from "./trouble-panel.js";

const noticeMs = 6_000;
const noAnswer = "The application did not respond.";

/** What the demo told the page so far. */
const seen = {
  server: { id: "", name: "", botId: "", roles: [], people: [] },
  channels: [],
  commands: [],
  offered: {},
  orders: [],
  /** @type {{ message: any, ephemeralFor?: string }[]} */
  messages: [],
};
let channelId = "";
const dismissed = new Set();
/** What the reader has done, so that the guide does not tick what happened by itself. */
const done = new Set();

const persona = byId("persona");
const language = byId("language");
const by = () => persona.value;
const named = (list) => (id) => list().find((thing) => thing.id === id)?.name;
const names = {
  channel: named(() => seen.channels),
  role: named(() => seen.server.roles),
  person: (id) => (id === seen.server.botId ? "Shopbell" : named(() => seen.server.people)(id)),
};

function notice(text) {
  const shown = el("p", {}, text);
  byId("notices").append(shown);
  setTimeout(() => shown.remove(), noticeMs);
}

/** Does something and tells the reader when it cannot be done. */
async function attempt(action, body) {
  try {
    done.add(action);
    return await act(action, body);
  } catch (error) {
    notice(error.message);
    return undefined;
  }
}

/** What a Discord client does with the first answer. */
function follow(result) {
  if (result?.failed) notice(noAnswer);
  if (result?.modal === undefined) return;
  const speaker = by();
  openModal(result.modal, names, async (fields) => {
    follow(await act("submit", { by: speaker, interactionId: result.modal.interactionId, fields }));
  });
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
    places: () => ({ channels: seen.channels, roles: seen.server.roles }),
    press,
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
const storePanel = createStorePanel(attempt);
const troublePanel = createTroublePanel(attempt, storePanel.token);
const views = createViews();
createTabs();
createLook((light) => {
  channel.list.lightTheme = light;
});

const composer = createComposer({
  now: () => ({
    commands: typables(
      seen.commands.filter(({ name }) => seen.offered[by()]?.[channelId]?.includes(name)),
      language.value,
    ),
    channel: names.channel(channelId) ?? "",
    locale: language.value,
    places: { channels: seen.channels, roles: seen.server.roles, people: seen.server.people },
  }),
  say: (content) => attempt("say", { by: by(), channelId, content }),
  async run({ name, subcommand }, options) {
    if (name === "orders") guide.done("orders");
    const place = { by: by(), channelId, locale: language.value };
    follow(await attempt("command", { ...place, name, subcommand, options }));
  },
  async suggest({ name, subcommand }, focused, options) {
    const place = { by: by(), channelId, locale: language.value };
    const { choices = [] } = await act("autocomplete", { ...place, name, subcommand, options, focused });
    return choices;
  },
});

const guide = createGuide({
  order() {
    goTo(seen.channels.find(({ name }) => name === "new-orders")?.id ?? channelId);
    void attempt("place-orders", { count: 1 });
  },
  pay() {
    const pending = seen.orders.find(({ status }) => status === "PENDING");
    if (pending) void attempt("set-status", { id: pending.id, status: "PAID" });
  },
  command(text) {
    views.show("chat");
    composer.begin(text);
  },
});

function goTo(id) {
  channelId = id;
  drawChannels();
  showMessages();
  composer.refresh();
}

const notes = { "new-orders": "Where new orders ring", staff: "Where the owner and the staff talk" };

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
          ` ${name}`,
        ),
      );
    }),
  );
  const name = names.channel(channelId) ?? "";
  byId("channel-name").textContent = `# ${name}`;
  byId("channel-note").textContent = notes[name] ?? "";
}

persona.addEventListener("change", () => {
  showMessages();
  composer.refresh();
});
language.addEventListener("change", () => {
  refreshTimestamps(language.value);
  showMessages();
  composer.refresh();
});
setInterval(() => refreshTimestamps(), 5_000);

function isAlert({ message }) {
  return message.author.id === seen.server.botId && message.interaction_metadata === undefined;
}

listen(
  {
    server(server) {
      seen.server = server;
      byId("server-name").textContent = server.name;
      byId("store-host").textContent = `Pretend, on ${server.storeHost}`;
      const speaking = by();
      persona.replaceChildren(...server.people.map(({ id, name }) => el("option", { value: id }, name)));
      if (server.people.some(({ id }) => id === speaking)) persona.value = speaking;
    },
    channels({ channels, commands, offered }) {
      const before = channelId;
      Object.assign(seen, { channels, commands, offered });
      drawChannels();
      if (channelId !== before) showMessages();
      composer.refresh();
    },
    store(store) {
      seen.orders = store.orders;
      storePanel.show(store);
    },
    status(status) {
      statusLine.show(status);
      storePanel.arrive(status.arrives);
      troublePanel.show(status);
    },
    messages(messages) {
      seen.messages = messages;
      showMessages();
      document.documentElement.dataset.ready = "yes";
    },
    message(entry) {
      seen.messages.push(entry);
      if (isShown(entry)) channel.add(entry.message, isEphemeral(entry));
      if (isAlert(entry) && done.has("place-orders")) guide.done("order");
    },
    edit(entry) {
      const index = seen.messages.findLastIndex(({ message }) => message.id === entry.message.id);
      if (index >= 0) seen.messages[index] = entry;
      if (isShown(entry)) channel.update(entry.message, isEphemeral(entry));
      if (isAlert(entry) && done.has("set-status")) guide.done("paid");
    },
    delete({ message }) {
      seen.messages = seen.messages.filter((entry) => entry.message.id !== message.id);
      channel.remove(message.id);
    },
  },
  (open) => statusLine.connection(open),
);
