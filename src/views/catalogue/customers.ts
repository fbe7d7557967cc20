import { defineTexts } from "./define-texts.ts";

/** A customer's orders. Arguments come in harmless. */
export const customers = defineTexts({
  en: {
    theirOrders: "Their orders",
    title: "Customer",
    none: "No orders found for this customer.",
    sums: (count: string, total: string) => `Orders: **${count}** · Total: **${total}**`,
    sumsAtLeast: (count: string, total: string) => `Orders: at least **${count}** · Total: at least **${total}**`,
    span: (first: string, last: string) => `First: ${first} · Last: ${last}`,
    spanOfSome: (first: string, last: string) => `First of these: ${first} · Last: ${last}`,
    everyStatus: "The total includes orders of every status.",
    counting: (count: string) => `Reading this customer's orders … ${count} so far.`,
  },
  "pt-BR": {
    theirOrders: "Pedidos do cliente",
    title: "Cliente",
    none: "Nenhum pedido deste cliente foi encontrado.",
    sums: (count, total) => `Pedidos: **${count}** · Total: **${total}**`,
    sumsAtLeast: (count, total) => `Pedidos: pelo menos **${count}** · Total: pelo menos **${total}**`,
    span: (first, last) => `Primeiro: ${first} · Último: ${last}`,
    spanOfSome: (first, last) => `Primeiro destes: ${first} · Último: ${last}`,
    everyStatus: "O total inclui pedidos de todos os status.",
    counting: (count) => `Lendo os pedidos deste cliente … ${count} até agora.`,
  },
  es: {
    theirOrders: "Pedidos del cliente",
    title: "Cliente",
    none: "No se encontraron pedidos de este cliente.",
    sums: (count, total) => `Pedidos: **${count}** · Total: **${total}**`,
    sumsAtLeast: (count, total) => `Pedidos: al menos **${count}** · Total: al menos **${total}**`,
    span: (first, last) => `Primero: ${first} · Último: ${last}`,
    spanOfSome: (first, last) => `Primero de estos: ${first} · Último: ${last}`,
    everyStatus: "El total incluye pedidos de todos los estados.",
    counting: (count) => `Leyendo los pedidos de este cliente … ${count} hasta ahora.`,
  },
});
