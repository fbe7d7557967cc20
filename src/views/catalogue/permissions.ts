import { defineTexts } from "./define-texts.ts";

/** Discord's own names of permissions, as the settings of a channel show them in each language, by the names of its API. */
export const permissions = defineTexts({
  en: {
    ViewChannel: "View Channel",
    SendMessages: "Send Messages",
    EmbedLinks: "Embed Links",
    ReadMessageHistory: "Read Message History",
    MentionEveryone: "Mention @everyone, @here, and All Roles",
  },
  "pt-BR": {
    ViewChannel: "Ver canal",
    SendMessages: "Enviar mensagens",
    EmbedLinks: "Inserir links",
    ReadMessageHistory: "Ver histórico de mensagens",
    MentionEveryone: "Mencionar @everyone, @here e todos os cargos",
  },
  es: {
    ViewChannel: "Ver canal",
    SendMessages: "Enviar mensajes",
    EmbedLinks: "Insertar enlaces",
    ReadMessageHistory: "Leer el historial de mensajes",
    MentionEveryone: "Mencionar @everyone, @here y todos los roles",
  },
});
