import { defineTexts, plural } from "./define-texts.ts";

/** The message that rings for new orders. */
export const alerts = defineTexts({
  en: {
    newOrder: "New order",
    newOrders: (count: number) => plural("en", count, { one: "1 new order", other: `${count} new orders` }),
    paidOrder: "Paid order",
    paidOrders: (count: number) => plural("en", count, { one: "1 paid order", other: `${count} paid orders` }),
    refundedOrders: (count: number) =>
      plural("en", count, { one: "1 refunded order", other: `${count} refunded orders` }),
    sample: "This is a sample: nobody bought anything. A real alert looks like this.",
    pick: "Open an order",
    changed: (status: string, time: string) => `${status} · ${time}`,
  },
  "pt-BR": {
    newOrder: "Novo pedido",
    newOrders: (count) => plural("pt-BR", count, { one: `${count} novo pedido`, other: `${count} novos pedidos` }),
    paidOrder: "Pedido pago",
    paidOrders: (count) => plural("pt-BR", count, { one: `${count} pedido pago`, other: `${count} pedidos pagos` }),
    refundedOrders: (count) =>
      plural("pt-BR", count, { one: `${count} pedido reembolsado`, other: `${count} pedidos reembolsados` }),
    sample: "Isto é um exemplo: ninguém comprou nada. Um aviso de verdade fica assim.",
    pick: "Abrir um pedido",
    changed: (status, time) => `${status} · ${time}`,
  },
  es: {
    newOrder: "Pedido nuevo",
    newOrders: (count) => plural("es", count, { one: `${count} pedido nuevo`, other: `${count} pedidos nuevos` }),
    paidOrder: "Pedido pagado",
    paidOrders: (count) => plural("es", count, { one: `${count} pedido pagado`, other: `${count} pedidos pagados` }),
    refundedOrders: (count) =>
      plural("es", count, { one: `${count} pedido reembolsado`, other: `${count} pedidos reembolsados` }),
    sample: "Esto es una muestra: nadie compró nada. Un aviso real se ve así.",
    pick: "Abrir un pedido",
    changed: (status, time) => `${status} · ${time}`,
  },
});
