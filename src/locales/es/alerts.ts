import type { Texts } from "../shape.ts";
import { plural } from "./plural.ts";

export const alerts: Texts["alerts"] = {
  newOrder: "Pedido nuevo",
  newOrders: (count) => plural(count, { one: `${count} pedido nuevo`, other: `${count} pedidos nuevos` }),
  paidOrder: "Pedido pagado",
  paidOrders: (count) => plural(count, { one: `${count} pedido pagado`, other: `${count} pedidos pagados` }),
  paidAmongNew: (count) => plural(count, { one: `${count} pagado`, other: `${count} pagados` }),
  refundedOrders: (count) =>
    plural(count, { one: `${count} pedido reembolsado`, other: `${count} pedidos reembolsados` }),
  bare: "Discord no acepta aquí los textos de este pedido. **Abrir** los muestra.",
  sample: "Esto es una muestra: nadie compró nada. Un aviso real se ve así.",
};

export const notices: Texts["notices"] = {
  alertsHere: "A partir de ahora, los avisos de pedidos llegan a este canal.",
  earlierOrders: (count, shown) =>
    plural(count, {
      one: `**${shown}** pedido anterior no genera aviso.`,
      other: `**${shown}** pedidos anteriores no generan aviso.`,
    }),
  storeDown: (since) =>
    `La tienda dejó de dar respuestas útiles (hora: ${since}). No se pueden ver pedidos nuevos hasta que vuelva a darlas. Ninguno se pierde: todos se publicarán después. **/tienda estado** muestra el motivo.`,
  storeBack: (count) =>
    plural(count, {
      one: `La tienda vuelve a responder. Mientras tanto llegó ${count} pedido.`,
      other: `La tienda vuelve a responder. Mientras tanto llegaron ${count} pedidos.`,
    }),
  tokenRefused:
    "La tienda rechaza el token de la API, así que no se pueden ver pedidos nuevos. Ninguno se pierde: el bot lo sigue intentando y, en cuanto la tienda acepte un token, publica los que hayan llegado mientras tanto. Si esto continúa, crea un token nuevo en el panel de administración de la tienda (Configuración, luego Open API) e ingrésalo con **/tienda conectar**.",
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
      feed: "Hasta entonces, sus mensajes públicos quedan en espera.",
    },
    linesLost: "Los mensajes públicos de los pedidos que lleguen hasta entonces no se publican.",
  },
};
