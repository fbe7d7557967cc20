import { defineTexts, plural } from "./define-texts.ts";

/** What Shopbell says by itself, in the alert channel or to the server's owner. */
export const notices = defineTexts({
  en: {
    alertsOn: (count: string) =>
      `New orders are announced here from now on. Already waiting, without an alert: **${count}**.`,
    alertsMoved: "Order alerts come to this channel from now on.",
    atLeast: (count: string) => `at least ${count}`,
    storeDown: (since: string) =>
      `The store has not answered since ${since}. New orders cannot be seen until it answers again. None is lost: all of them are announced then.`,
    storeBack: (count: number) =>
      plural("en", count, {
        one: "The store is answering again. 1 order arrived meanwhile.",
        other: `The store is answering again. ${count} orders arrived meanwhile.`,
      }),
    tokenRefused:
      "The store refuses the API token, so new orders cannot be seen. No order is lost: the bot keeps trying, and announces what arrived meanwhile as soon as a token is accepted. If this goes on, create a new token in the store's administration panel (Settings, then Open API) and enter it with **/store connect**.",
    keyLost:
      "The saved API token can no longer be read, because the bot's encryption key has changed, so new orders cannot be seen. Enter the token again with **/store connect**. No order is lost: those that arrive meanwhile are announced then.",
    channelLost: (server: string, channel: string) =>
      `Order alerts for the server **${server}** cannot be posted in ${channel}: the channel is gone. The orders are kept. Choose another channel with **/alerts set**, and all of them are posted there.`,
    channelForbidden: (server: string, channel: string) =>
      `Order alerts for the server **${server}** cannot be posted in ${channel}: a permission is missing. The orders are kept. Give the bot **View Channel**, **Send Messages**, **Embed Links** and **Read Message History** there, or choose another channel with **/alerts set**, and all of them are posted.`,
    digestChannelLost: (server: string, channel: string) =>
      `The digest for the server **${server}** cannot be posted in ${channel}: the channel is gone. Nothing is lost. Choose another channel with **/digest set**, or turn the digest off with **/digest off**.`,
    digestForbidden: (server: string, channel: string) =>
      `The digest for the server **${server}** cannot be posted in ${channel}: a permission is missing. Nothing is lost. Give the bot **View Channel**, **Send Messages**, **Embed Links** and **Read Message History** there, or choose another channel with **/digest set**, and it is posted.`,
    route: {
      lost: (rule: string, server: string, channel: string) =>
        `The rule **${rule}** in the server **${server}** cannot post in ${channel}: the channel is gone. Delete the rule with **/alerts route remove**, and create it again for another channel.`,
      forbidden: (rule: string, server: string, channel: string) =>
        `The rule **${rule}** in the server **${server}** cannot post in ${channel}: a permission is missing. Give the bot **View Channel**, **Send Messages**, **Embed Links** and **Read Message History** there.`,
      meanwhile: {
        staff: "No alert is lost: until then they are posted in the usual channel.",
        feed: "Its public lines wait until then.",
      },
    },
  },
  "pt-BR": {
    alertsOn: (count) =>
      `A partir de agora, os avisos de novos pedidos chegam neste canal. Já aguardando, sem aviso: **${count}**.`,
    alertsMoved: "A partir de agora, os avisos de pedidos chegam neste canal.",
    atLeast: (count) => `pelo menos ${count}`,
    storeDown: (since) =>
      `A loja não responde desde as ${since}. Até ela voltar, não dá para ver novos pedidos. Nenhum se perde: todos serão publicados depois.`,
    storeBack: (count) =>
      plural("pt-BR", count, {
        one: `A loja voltou a responder. ${count} pedido chegou nesse meio-tempo.`,
        other: `A loja voltou a responder. ${count} pedidos chegaram nesse meio-tempo.`,
      }),
    tokenRefused:
      "A loja recusa o token da API, então não dá para ver novos pedidos. Nenhum se perde: o bot continua tentando e publica os que chegarem nesse meio-tempo assim que um token for aceito. Se isso continuar, crie um novo token no painel de administração da loja (Configurações, depois Open API) e informe-o com **/loja conectar**.",
    keyLost:
      "O token da API que estava salvo não pode mais ser lido, porque a chave de criptografia do bot mudou, então não dá para ver novos pedidos. Informe o token de novo com **/loja conectar**. Nenhum pedido se perde: os que chegarem nesse meio-tempo serão publicados depois.",
    channelLost: (server, channel) =>
      `Os avisos de pedidos do servidor **${server}** não podem ser publicados em ${channel}: o canal não existe mais. Os pedidos estão guardados. Escolha outro canal com **/avisos definir** e todos serão publicados lá.`,
    channelForbidden: (server, channel) =>
      `Os avisos de pedidos do servidor **${server}** não podem ser publicados em ${channel}: falta uma permissão. Os pedidos estão guardados. Dê ao bot **Ver canal**, **Enviar mensagens**, **Inserir links** e **Ver histórico de mensagens** ali, ou escolha outro canal com **/avisos definir**, e todos serão publicados.`,
    digestChannelLost: (server, channel) =>
      `O resumo do servidor **${server}** não pode ser publicado em ${channel}: o canal não existe mais. Nada se perde. Escolha outro canal com **/resumo definir** ou desative o resumo com **/resumo desativar**.`,
    digestForbidden: (server, channel) =>
      `O resumo do servidor **${server}** não pode ser publicado em ${channel}: falta uma permissão. Nada se perde. Dê ao bot **Ver canal**, **Enviar mensagens**, **Inserir links** e **Ver histórico de mensagens** ali, ou escolha outro canal com **/resumo definir**, e ele será publicado.`,
    route: {
      lost: (rule, server, channel) =>
        `A regra **${rule}** do servidor **${server}** não consegue publicar em ${channel}: o canal não existe mais. Apague a regra com **/avisos rota remover** e crie-a de novo para outro canal.`,
      forbidden: (rule, server, channel) =>
        `A regra **${rule}** do servidor **${server}** não consegue publicar em ${channel}: falta uma permissão. Dê ao bot **Ver canal**, **Enviar mensagens**, **Inserir links** e **Ver histórico de mensagens** ali.`,
      meanwhile: {
        staff: "Nenhum aviso se perde: até lá, eles são publicados no canal de sempre.",
        feed: "Até lá, as linhas públicas dela esperam.",
      },
    },
  },
  es: {
    alertsOn: (count) =>
      `A partir de ahora, los avisos de pedidos nuevos llegan a este canal. Ya en espera, sin aviso: **${count}**.`,
    alertsMoved: "A partir de ahora, los avisos de pedidos llegan a este canal.",
    atLeast: (count) => `al menos ${count}`,
    storeDown: (since) =>
      `La tienda no responde desde las ${since}. No se pueden ver pedidos nuevos hasta que vuelva. Ninguno se pierde: todos se publicarán después.`,
    storeBack: (count) =>
      plural("es", count, {
        one: `La tienda vuelve a responder. Mientras tanto llegó ${count} pedido.`,
        other: `La tienda vuelve a responder. Mientras tanto llegaron ${count} pedidos.`,
      }),
    tokenRefused:
      "La tienda rechaza el token de la API, así que no se pueden ver pedidos nuevos. Ninguno se pierde: el bot sigue intentando y publica los que lleguen mientras tanto en cuanto se acepte un token. Si esto continúa, crea un token nuevo en el panel de administración de la tienda (Configuración, luego Open API) e ingrésalo con **/tienda conectar**.",
    keyLost:
      "Ya no se puede leer el token de la API guardado, porque cambió la clave de cifrado del bot, así que no se pueden ver pedidos nuevos. Ingresa el token de nuevo con **/tienda conectar**. No se pierde ningún pedido: los que lleguen mientras tanto se publicarán después.",
    channelLost: (server, channel) =>
      `Los avisos de pedidos del servidor **${server}** no se pueden publicar en ${channel}: el canal ya no existe. Los pedidos están guardados. Elige otro canal con **/avisos activar** y todos se publicarán allí.`,
    channelForbidden: (server, channel) =>
      `Los avisos de pedidos del servidor **${server}** no se pueden publicar en ${channel}: falta un permiso. Los pedidos están guardados. Dale al bot **Ver canal**, **Enviar mensajes**, **Insertar enlaces** y **Leer el historial de mensajes** allí, o elige otro canal con **/avisos activar**, y todos se publicarán.`,
    digestChannelLost: (server, channel) =>
      `El resumen del servidor **${server}** no se puede publicar en ${channel}: el canal ya no existe. No se pierde nada. Elige otro canal con **/resumen activar** o desactiva el resumen con **/resumen desactivar**.`,
    digestForbidden: (server, channel) =>
      `El resumen del servidor **${server}** no se puede publicar en ${channel}: falta un permiso. No se pierde nada. Dale al bot **Ver canal**, **Enviar mensajes**, **Insertar enlaces** y **Leer el historial de mensajes** allí, o elige otro canal con **/resumen activar**, y se publicará.`,
    route: {
      lost: (rule, server, channel) =>
        `La regla **${rule}** del servidor **${server}** no puede publicar en ${channel}: el canal ya no existe. Borra la regla con **/avisos ruta quitar** y créala de nuevo para otro canal.`,
      forbidden: (rule, server, channel) =>
        `La regla **${rule}** del servidor **${server}** no puede publicar en ${channel}: falta un permiso. Dale al bot **Ver canal**, **Enviar mensajes**, **Insertar enlaces** y **Leer el historial de mensajes** allí.`,
      meanwhile: {
        staff: "No se pierde ningún aviso: hasta entonces se publican en el canal de siempre.",
        feed: "Hasta entonces, sus líneas públicas esperan.",
      },
    },
  },
});
