import { defineTexts } from "./define-texts.ts";

/** What the bot says when it comes into a server. The first line is what a locked phone shows. */
export const greeting = defineTexts({
  en: {
    inServer: "Hello! I am Shopbell, and I post an alert for every new order in your store",
    toOwner: (server: string) =>
      `Hello! I am now in **${server}**, and I post an alert for every new order in your store`,
    nextStep:
      "Next step, for someone with the **Manage Server** permission: type **/store connect** in any channel of the server, and paste your store's API token into the window that opens. Nobody else sees it.",
  },
  "pt-BR": {
    inServer: "Olá! Eu sou o Shopbell e aviso sobre cada novo pedido da sua loja",
    toOwner: (server) => `Olá! Agora estou em **${server}** e aviso sobre cada novo pedido da sua loja`,
    nextStep:
      "Próximo passo, para quem tem a permissão **Gerenciar servidor**: digite **/loja conectar** em qualquer canal do servidor e cole o token da API da sua loja na janela que se abre. Ninguém mais o vê.",
  },
  es: {
    inServer: "¡Hola! Soy Shopbell y aviso de cada pedido nuevo de tu tienda",
    toOwner: (server) => `¡Hola! Ya estoy en **${server}** y aviso de cada pedido nuevo de tu tienda`,
    nextStep:
      "Siguiente paso, para quien tenga el permiso **Gestionar servidor**: escribe **/tienda conectar** en cualquier canal del servidor y pega el token de la API de tu tienda en la ventana que se abre. Nadie más lo ve.",
  },
});
