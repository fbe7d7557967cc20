import { defineTexts, plural } from "./define-texts.ts";

/** What Shopbell says by itself, in the alert channel or to the server's owner. */
export const notices = defineTexts({
  en: {
    alertsOn: (count: string) => `New orders ring here from now on. Already waiting: **${count}** (those do not ring).`,
    alertsMoved: "Order alerts come to this channel from now on.",
    atLeast: (count: string) => `at least ${count}`,
    storeDown: (since: string) =>
      `The store has not answered since ${since}. New orders cannot be seen until it does; none is lost, they ring as soon as it answers again.`,
    storeBack: (count: number) =>
      plural("en", count, {
        one: "The store answers again. 1 order arrived meanwhile.",
        other: `The store answers again. ${count} orders arrived meanwhile.`,
      }),
    tokenRefused:
      "The store refuses the API token, so new orders cannot be seen. If this goes on, make a new token in the store's administration panel (Settings, then Open API) and enter it with **/store connect**. No order is lost: the token is tried again by itself, and orders that arrive meanwhile ring as soon as one is accepted.",
    keyLost:
      "The stored API token cannot be read any more, because the bot's encryption key has changed, so new orders cannot be seen. Enter the token again with **/store connect**. No order is lost: those that arrive meanwhile ring then.",
    channelLost: (server: string, channel: string) =>
      `Order alerts for the server **${server}** cannot be posted in ${channel}: the channel is gone. The orders are kept. Choose another channel with **/alerts set** and all of them are posted there.`,
    channelForbidden: (server: string, channel: string) =>
      `Order alerts for the server **${server}** cannot be posted in ${channel}: a permission is missing. The orders are kept. Give the bot **View Channel**, **Send Messages** and **Read Message History** there, or choose another channel with **/alerts set**, and all of them are posted.`,
  },
  "pt-BR": {
    alertsOn: (count) => `Novos pedidos avisam aqui a partir de agora. Já em espera: **${count}** (esses não avisam).`,
    alertsMoved: "Os avisos de pedidos chegam a este canal a partir de agora.",
    atLeast: (count) => `pelo menos ${count}`,
    storeDown: (since) =>
      `A loja não responde desde ${since}. Novos pedidos não podem ser vistos até lá; nenhum se perde, eles avisam assim que ela voltar a responder.`,
    storeBack: (count) =>
      plural("pt-BR", count, {
        one: `A loja voltou a responder. ${count} pedido chegou nesse meio-tempo.`,
        other: `A loja voltou a responder. ${count} pedidos chegaram nesse meio-tempo.`,
      }),
    tokenRefused:
      "A loja recusa o token da API, então novos pedidos não podem ser vistos. Se isso continuar, crie um novo token no painel de administração da loja (Configurações, depois Open API) e informe-o com **/loja conectar**. Nenhum pedido se perde: o token é tentado de novo automaticamente, e os pedidos que chegarem até lá avisam assim que um for aceito.",
    keyLost:
      "O token da API guardado não pode mais ser lido, porque a chave de criptografia do bot mudou, então novos pedidos não podem ser vistos. Informe o token de novo com **/loja conectar**. Nenhum pedido se perde: os que chegarem até lá avisam então.",
    channelLost: (server, channel) =>
      `Os avisos de pedidos do servidor **${server}** não podem ser publicados em ${channel}: o canal não existe mais. Os pedidos estão guardados. Escolha outro canal com **/avisos definir** e todos serão publicados lá.`,
    channelForbidden: (server, channel) =>
      `Os avisos de pedidos do servidor **${server}** não podem ser publicados em ${channel}: falta uma permissão. Os pedidos estão guardados. Dê ao bot **Ver canal**, **Enviar mensagens** e **Ver histórico de mensagens** ali, ou escolha outro canal com **/avisos definir**, e todos serão publicados.`,
  },
  es: {
    alertsOn: (count) => `Los pedidos nuevos avisan aquí desde ahora. Ya en espera: **${count}** (esos no avisan).`,
    alertsMoved: "Los avisos de pedidos llegan a este canal desde ahora.",
    atLeast: (count) => `al menos ${count}`,
    storeDown: (since) =>
      `La tienda no responde desde ${since}. Los pedidos nuevos no se pueden ver hasta entonces; ninguno se pierde, avisarán en cuanto vuelva a responder.`,
    storeBack: (count) =>
      plural("es", count, {
        one: `La tienda vuelve a responder. Mientras tanto llegó ${count} pedido.`,
        other: `La tienda vuelve a responder. Mientras tanto llegaron ${count} pedidos.`,
      }),
    tokenRefused:
      "La tienda rechaza el token de la API, así que los pedidos nuevos no se pueden ver. Si esto continúa, crea un token nuevo en el panel de administración de la tienda (Configuración, luego Open API) e introdúcelo con **/tienda conectar**. No se pierde ningún pedido: el token se vuelve a probar automáticamente, y los pedidos que lleguen hasta entonces avisarán en cuanto se acepte uno.",
    keyLost:
      "El token de la API guardado ya no se puede leer, porque la clave de cifrado del bot ha cambiado, así que los pedidos nuevos no se pueden ver. Introduce el token de nuevo con **/tienda conectar**. No se pierde ningún pedido: los que lleguen hasta entonces avisarán después.",
    channelLost: (server, channel) =>
      `Los avisos de pedidos del servidor **${server}** no se pueden publicar en ${channel}: el canal ya no existe. Los pedidos están guardados. Elige otro canal con **/avisos fijar** y todos se publicarán allí.`,
    channelForbidden: (server, channel) =>
      `Los avisos de pedidos del servidor **${server}** no se pueden publicar en ${channel}: falta un permiso. Los pedidos están guardados. Dale al bot **Ver canal**, **Enviar mensajes** y **Leer el historial de mensajes** allí, o elige otro canal con **/avisos fijar**, y todos se publicarán.`,
  },
});
