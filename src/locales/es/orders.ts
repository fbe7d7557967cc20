import type { Texts } from "../shape.ts";

export const orders: Texts["orders"] = {
  card: "Pedido",
  list: "Pedidos",
  items: (count) => `Artículos (${count})`,
  noItems: "Sin artículos",
  each: (price) => `${price} cada uno`,
  subtotal: "Subtotal",
  discount: "Descuento",
  total: "Total",
  payment: "Pago",
  status: "Estado",
  customer: "Cliente",
  placed: "Realizado",
  empty: "No se encontraron pedidos.",
  emptyPage: "No hay pedidos en esta página.",
  pick: "Abrir un pedido",
  takenLeftOut: (count) => `Pedidos que alguien ya atiende, ocultos en esta página: ${count}.`,
  notInStore: (count) => `Pedidos que alguien atiende y que la tienda no tiene: ${count}.`,
};

export const customers: Texts["customers"] = {
  theirOrders: "Pedidos del cliente",
  title: "Cliente",
  none: "No se encontraron pedidos de este cliente.",
  sums: (count, total) => `Pedidos: **${count}** · Total: **${total}**`,
  sumsAtLeast: (count, total) => `Pedidos: al menos **${count}** · Total: al menos **${total}**`,
  span: (first, last) => `Primero: ${first} · Último: ${last}`,
  spanOfSome: (first, last) => `Primero de estos: ${first} · Último: ${last}`,
  everyStatus: "El total incluye pedidos de todos los estados.",
};

export const statuses: Texts["statuses"] = {
  pending: "Pendiente",
  processing: "En proceso",
  paid: "Pagado",
  approved: "Aprobado",
  completed: "Completado",
  delivered: "Entregado",
  shipped: "Enviado",
  cancelled: "Cancelado",
  expired: "Vencido",
  failed: "Fallido",
  rejected: "Rechazado",
  refunded: "Reembolsado",
  disputed: "En disputa",
  none: "Sin estado",
};

export const payments: Texts["payments"] = {
  pix: "Pix",
  creditCard: "Tarjeta de crédito",
  debitCard: "Tarjeta de débito",
  card: "Tarjeta",
  boleto: "Boleto",
  bankTransfer: "Transferencia bancaria",
  cash: "Efectivo",
  balance: "Saldo",
  crypto: "Cripto",
  paypal: "PayPal",
  mercadoPago: "Mercado Pago",
  stripe: "Stripe",
  free: "Gratis",
};
