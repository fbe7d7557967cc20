import type { Texts } from "../shape.ts";

export const orders: Texts["orders"] = {
  card: "Pedido",
  list: "Pedidos",
  items: (count) => `Itens (${count})`,
  noItems: "Nenhum item",
  each: (price) => `${price} cada`,
  subtotal: "Subtotal",
  discount: "Desconto",
  total: "Total",
  payment: "Pagamento",
  status: "Status",
  customer: "Cliente",
  placed: "Feito em",
  empty: "Nenhum pedido encontrado.",
  emptyPage: "Nenhum pedido nesta página.",
  pick: "Abrir um pedido",
  takenLeftOut: (count) => `Pedidos já assumidos, ocultos nesta página: ${count}.`,
  notInStore: (count) => `Pedidos assumidos que a loja não tem: ${count}.`,
};

export const customers: Texts["customers"] = {
  theirOrders: "Pedidos do cliente",
  title: "Cliente",
  none: "Nenhum pedido deste cliente foi encontrado.",
  sums: (count, total) => `Pedidos: **${count}** · Total: **${total}**`,
  sumsAtLeast: (count, total) => `Pedidos: pelo menos **${count}** · Total: pelo menos **${total}**`,
  span: (first, last) => `Primeiro: ${first} · Último: ${last}`,
  spanOfSome: (first, last) => `Primeiro destes: ${first} · Último: ${last}`,
  everyStatus: "O total inclui pedidos de todos os status.",
};

export const statuses: Texts["statuses"] = {
  pending: "Pendente",
  processing: "Em processamento",
  paid: "Pago",
  approved: "Aprovado",
  completed: "Concluído",
  delivered: "Entregue",
  shipped: "Enviado",
  cancelled: "Cancelado",
  expired: "Expirado",
  failed: "Falhou",
  rejected: "Recusado",
  refunded: "Reembolsado",
  disputed: "Em disputa",
  none: "Sem status",
};

export const payments: Texts["payments"] = {
  pix: "Pix",
  creditCard: "Cartão de crédito",
  debitCard: "Cartão de débito",
  card: "Cartão",
  boleto: "Boleto",
  bankTransfer: "Transferência bancária",
  cash: "Dinheiro",
  balance: "Saldo",
  crypto: "Cripto",
  paypal: "PayPal",
  mercadoPago: "Mercado Pago",
  stripe: "Stripe",
  free: "Grátis",
};
