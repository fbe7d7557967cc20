import { DiscordAuthorInfo } from "@skyra/discord-components-core/discord-author-info.js";
import { DiscordMessage } from "@skyra/discord-components-core/discord-message.js";
import { componentsView, uploaded } from "./components-view.js";
import { el } from "./el.js";
import { embedView } from "./embed-view.js";
import { markdown } from "./markdown.js";
import { pushText } from "./phone.js";
import { sentAt } from "./timestamps.js";
import { called, say } from "./words.js";

const LOADING = 1 << 7;
const COMPONENTS_V2 = 1 << 15;
const avatars = ["owner", "staff", "member"];

/** Corrects the ready-made components: their colours cannot be read well, and their widths do not follow the page. */
const readable = new CSSStyleSheet();
readable.replaceSync(`
  :host { padding: 0.25rem 1rem; margin: 0; line-height: 1.375; color: var(--text); font-family: inherit; font-size: 1rem; }
  :host .discord-message-timestamp, :host([light-theme]) .discord-message-timestamp { color: var(--muted); font-size: 0.75rem; }
  :host .discord-message-edited, :host([light-theme]) .discord-message-edited { color: var(--muted); font-size: 0; }
  .discord-message-edited::after { content: var(--edited); font-size: 0.6875rem; }
  .discord-author-avatar img { width: 40px; height: 40px; cursor: default; }
  @media (max-width: 860px) {
    :host { padding-inline: 0.75rem; }
    .discord-author-avatar { margin-right: 10px; min-width: 32px; }
    .discord-author-avatar img { width: 32px; height: 32px; }
  }
  .discord-message-content { min-width: 0; padding-top: 0; line-height: 1.375; }
`);
const readableAuthor = new CSSStyleSheet();
readableAuthor.replaceSync(`
  :host .discord-author-username, :host([light-theme]) .discord-author-username { color: var(--strong); cursor: inherit; }
  :host .discord-author-username:hover { text-decoration: none; }
  .discord-application-tag { background-color: #4752c4 !important; }
`);

DiscordMessage.elementStyles.push(readable);
DiscordAuthorInfo.elementStyles.push(readableAuthor);

/** Pictures of a classic message. A message of components shows its files in components. */
const attachedPictures = ({ flags, attachments = [] }) =>
  (flags & COMPONENTS_V2) !== 0
    ? []
    : attachments
        .filter(({ content_type: type = "" }) => type.startsWith("image/"))
        .map(({ url, description = "" }) =>
          el("img", { class: "attached", src: uploaded(url), alt: description, title: description }),
        );

/**
 * @param {{ botId: string, names: import("./markdown.js").Names, places: () => { channels: any[], roles: any[] },
 * press: Function, commandLabel: (path: string) => string, dismiss: (id: string) => void }} scene
 */
export function createMessageView(scene) {
  function header(message) {
    const { interaction, referenced_message: first } = message;
    if (interaction !== undefined) {
      const used = el("code", {}, scene.commandLabel(interaction.name));
      return el(
        "p",
        { slot: "reply", class: "used" },
        el("b", {}, called(interaction.user.username)),
        say().used,
        used,
      );
    }
    if (!first) return undefined;
    const about = ` ${pushText(first.content, scene.names)}`;
    return el("p", { slot: "reply", class: "used" }, "↪ ", el("b", {}, called(first.author.username)), about);
  }

  function content(message) {
    if ((message.flags & LOADING) !== 0) {
      return [
        el("p", { class: "thinking" }, say().thinking, el("span", { class: "dots", "aria-hidden": "true" }, "…")),
      ];
    }
    const press = (customId, control, values) => scene.press(message, customId, control, values);
    return [
      ...(message.content ? [markdown(message.content, scene.names)] : []),
      ...attachedPictures(message),
      ...(message.embeds ?? []).map((embed) => embedView(embed, scene.names)),
      ...componentsView(message.components, { names: scene.names, places: scene.places, press }),
    ];
  }

  function onlyYou(message) {
    return el(
      "p",
      { class: "only-you" },
      el("span", { "aria-hidden": "true" }, "👁 "),
      say().onlyYou,
      el("button", { type: "button", class: "link", onclick: () => scene.dismiss(message.id) }, say().dismiss),
    );
  }

  return {
    draw(message, ephemeral) {
      const element = el("discord-message", { "data-id": message.id });
      this.update(element, message, ephemeral);
      return element;
    },

    /** Draws an edit. The focus stays on the same control. */
    update(element, message, ephemeral) {
      const focused = element.contains(document.activeElement) ? document.activeElement?.dataset.customId : undefined;
      const isBot = message.author.id === scene.botId;
      const known = avatars.includes(message.author.username) ? message.author.username : "member";
      element.author = called(message.author.username);
      element.avatar = isBot ? "/page/shopbell.svg" : `/page/${known}.svg`;
      element.bot = isBot;
      element.timestamp = sentAt(message.timestamp);
      element.edited = message.edited_timestamp !== null;
      element.classList.toggle("ephemeral", ephemeral);
      const mentioned = message.mention_roles?.length > 0 || message.mentions?.length > 0;
      element.highlight = mentioned && !ephemeral;
      const parts = [header(message), ...content(message), ephemeral && onlyYou(message)];
      element.replaceChildren(...parts.filter(Boolean));
      if (focused !== undefined) element.querySelector(`[data-custom-id="${CSS.escape(focused)}"]`)?.focus();
    },
  };
}
