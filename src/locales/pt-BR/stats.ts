import type { Texts } from "../shape.ts";
import { plural } from "./plural.ts";

export const stats: Texts["stats"] = {
  title: (span) => `Pedidos · ${span}`,
  notOver: "O dia de hoje ainda não acabou.",
  orders: "Pedidos",
  sold: "Vendido",
  soldOf: (amount, count) => `${amount} (pedidos: ${count})`,
  before: (days, amount) =>
    plural(days, { one: `dia anterior: ${amount}`, other: `${days} dias anteriores: ${amount}` }),
  waitsForPayment: "Aguardando pagamento",
  ofAll: "todos os pedidos",
  ofSold: "só pedidos vendidos",
  statuses: "Por status",
  products: "Produtos mais vendidos",
  methods: "Formas de pagamento",
  hours: "Horários de maior movimento",
  pieces: (title, pieces) => `${title} × ${pieces}`,
  line: (name, count, amount) => `${name}: ${count} · ${amount}`,
  hourLine: (hours, count) => `${hours}: ${count}`,
  others: "Outros",
  unnamed: "Sem nome",
  none: "Nenhum pedido nesse período.",
  against: (span) => `Em comparação com ${span}`,
  days: (zone) => `Fuso horário: ${zone}`,
  asOf: (time) => `Atualizado ${time}`,
  soldMeans: "“Vendido” não inclui pedidos aguardando pagamento, cancelados ou reembolsados.",
  notWhole:
    "Podem faltar pedidos: a loja mostrou alguns que não puderam ser lidos ou que não têm data, ou as páginas da lista não se encaixaram.",
  someProducts: "Há produtos demais para contar um a um, então a lista dos mais vendidos pode não ser exata.",
  reading: "Lendo pedidos",
  progress: (read, about) => `Lidos: ${read} de cerca de ${about}.`,
  today: "Hoje até agora",
  push: (span, orders, amount) => `📊 **${span}** · pedidos: ${orders} · vendido: ${amount}`,
  late: (due) => `Este resumo está atrasado: deveria ter saído ${due}, mas o bot não conseguiu publicá-lo na hora.`,
  missed: (count) => `Resumos anteriores que o bot não conseguiu publicar: ${count}.`,
  set: {
    day: (channel, next) => `Resumo diário ativado em ${channel}. Próximo: ${next}.`,
    week: (channel, next) => `Resumo semanal ativado em ${channel}, às segundas-feiras. Próximo: ${next}.`,
  },
  zone: (zone, time) => `Fuso horário: **${zone}** (agora: ${time}).`,
  isPublic: (channel) => `Todos neste servidor podem ler ${channel} e verão quanto a loja vende.`,
  noPicture: "Sem a permissão **Anexar arquivos** nesse canal, o resumo vem sem o gráfico.",
  off: "O resumo está desativado. `/estatísticas` continua mostrando os números quando você pedir.",
  chart: {
    byHour: "Pedidos por hora",
    byDay: "Pedidos por dia",
    day: (span, from, most, busiest) =>
      `Gráfico de barras dos pedidos por hora do dia, ${span}. Mais pedidos: ${most}, ${busiest}. Barras finas: ${from}.`,
    days: (span, from, most, busiest) =>
      `Gráfico de barras dos pedidos por dia, ${span}. Mais pedidos: ${most}, em ${busiest}. Barras finas: ${from}.`,
  },
};
