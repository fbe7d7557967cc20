import { mostRuleStatuses, mostRules, ruleNameMax } from "../../basics/limits/limits-in-texts.ts";
import type { Texts } from "../shape.ts";
import { plural } from "./plural.ts";

export const routing: Texts["routing"] = {
  bought: (items) => `Alguien compró ${items}`,
  boughtSomething: "Alguien compró algo",
  orders: (status, count) => `${status}: ${plural(count, { one: `${count} pedido`, other: `${count} pedidos` })}`,
  fallback: (rule, channel) =>
    `${rule}: no se pudo publicar en ${channel}. Sus avisos llegan aquí hasta que eso se arregle.`,
  unsure: "La tienda no indicó la categoría, así que no se pudieron revisar las reglas por categoría.",

  title: "Reglas",
  none: (channel) => `No hay reglas: todos los avisos van a ${channel}. Crea una con **/avisos ruta agregar**.`,
  noneOff: "No hay reglas, y los avisos están desactivados. Actívalos con **/avisos activar**.",
  otherwise: (channel) => `Todos los demás avisos van a ${channel}.`,
  off: "Los avisos están desactivados, así que estas reglas no hacen nada. Activa los avisos con **/avisos activar**.",
  order:
    "El aviso sigue la primera regla que se cumpla. También se publican los mensajes públicos de todas las reglas que se cumplan. Cada regla se aplica una sola vez por pedido.",

  style: { staff: "aviso", feed: "mensaje público" },
  newOrders: "pedidos nuevos",
  entering: (status) => `pedidos que pasan a ${status}`,
  product: (title) => `con ${title}`,
  category: (name) => `de la categoría de ${name}`,
  method: (text) => `pagados con “${text}”`,
  from: (amount) => `${amount} o más`,
  to: (amount) => `${amount} o menos`,
  items: (count) => `${count} o más unidades`,
  amount: "con el total",

  added: (rule) => `Regla **${rule}** creada. Se aplica a partir de ahora.`,
  moved: (rule, place, of) => `La regla **${rule}** ahora es la número ${place} de ${of}.`,
  removed: (rule) => `Regla **${rule}** borrada.`,
  noEveryone: "El bot nunca menciona a @everyone, así que esta regla no menciona ningún rol.",
  noCustomers: (channel) =>
    `Los avisos en ${channel} no muestran al cliente, porque quizá todos puedan leer ese canal. Para mostrar al cliente, elige un canal privado.`,
  onlySome: (channel) =>
    `No todos en este servidor pueden leer ${channel}, así que algunos miembros no verán estos mensajes.`,

  testTitle: (id, status) => `Pedido ${id}, si llegara ahora con el estado ${status}`,
  fits: "se cumple",
  goesBy: (channel, rule) => `El aviso va a ${channel}, por la regla **${rule}**.`,
  goesTo: (channel) => `El aviso va a ${channel}: no se cumple ninguna regla de aviso.`,
  feeds: (channels) => `Mensajes públicos: ${channels}.`,
  noFeeds: "Mensajes públicos: ninguno.",
  notAnnounced: "Pero los pedidos que llegan con este estado no se avisan. **/avisos activar** elige cuáles sí.",
  reasons: {
    status: (status) => `su estado no es ${status}`,
    product: (title) => `no tiene ${title}`,
    category: (name) => `no tiene nada de la categoría de ${name}`,
    unknownCategory: "la tienda no indicó de qué categoría son sus productos",
    method: (text) => `su método de pago no contiene “${text}”`,
    from: (amount) => `su total es menor que ${amount}`,
    to: (amount) => `su total es mayor que ${amount}`,
    items: (count) => `sus unidades son menos de ${count}`,
  },

  refused: {
    name: `Una regla necesita un nombre de 1 a ${ruleNameMax} caracteres visibles. No se cambió nada.`,
    exists:
      "Ya hay una regla con ese nombre. No se cambió nada. Elige otro nombre o borra esa regla con `/avisos ruta quitar`.",
    full: `Ya hay ${mostRules} reglas, el máximo. No se cambió nada. Borra una antes.`,
    statuses: `Ya hay reglas para ${mostRuleStatuses} estados, el máximo. No se cambió nada. Usa uno de esos o borra una regla.`,
    status:
      "Una regla admite un solo estado. No se cambió nada. Elige uno de la lista y crea otra regla para cada uno de los demás.",
    product: "La tienda no tiene ningún producto con ese título. No se cambió nada. Elige uno de la lista.",
    amount: "Eso no es un importe. No se cambió nada. Escribe uno como `100` o `1234.50`.",
    reversed: "El total más bajo es mayor que el más alto. No se cambió nada. Intercambia `desde` y `hasta`.",
    unknown: "No hay ninguna regla con ese nombre. No se cambió nada. Elige una de la lista.",
  },
};
