import { mostRuleStatuses, mostRules, ruleNameMax } from "../../basics/limits/limits-in-texts.ts";
import type { Texts } from "../shape.ts";
import { plural } from "./plural.ts";

export const routing: Texts["routing"] = {
  bought: (items) => `Alguém comprou ${items}`,
  boughtSomething: "Alguém comprou algo",
  orders: (status, count) => `${status}: ${plural(count, { one: `${count} pedido`, other: `${count} pedidos` })}`,
  fallback: (rule, channel) =>
    `${rule}: não deu para publicar em ${channel}. Os avisos desta regra chegam aqui até isso ser resolvido.`,
  unsure: "A loja não informou a categoria, então não foi possível verificar as regras por categoria.",

  title: "Regras",
  none: (channel) => `Não há regras: todo aviso vai para ${channel}. Crie uma com **/avisos rota adicionar**.`,
  noneOff: "Não há regras, e os avisos estão desativados. Ative com **/avisos definir**.",
  otherwise: (channel) => `Todos os outros avisos vão para ${channel}.`,
  off: "Os avisos estão desativados, então estas regras não fazem nada. Ative os avisos com **/avisos definir**.",
  order:
    "O aviso segue a primeira regra que se aplicar. As mensagens públicas das regras que se aplicarem também são publicadas. Cada regra vale uma vez por pedido.",

  style: { staff: "aviso", feed: "mensagem pública" },
  newOrders: "novos pedidos",
  entering: (status) => `pedidos que mudam para ${status}`,
  product: (title) => `com ${title}`,
  category: (name) => `da categoria de ${name}`,
  method: (text) => `pagos com “${text}”`,
  from: (amount) => `${amount} ou mais`,
  to: (amount) => `${amount} ou menos`,
  items: (count) => `unidades: ${count} ou mais`,
  amount: "com o total",

  added: (rule) => `Regra **${rule}** criada. Ela vale a partir de agora.`,
  moved: (rule, place, of) => `A regra **${rule}** agora é a número ${place} de ${of}.`,
  removed: (rule) => `Regra **${rule}** apagada.`,
  noEveryone: "O bot nunca menciona @everyone, então esta regra não menciona nenhum cargo.",
  noCustomers: (channel) =>
    `Os avisos em ${channel} não mostram o cliente, porque talvez todos possam ler esse canal. Para mostrar o cliente, escolha um canal privado.`,
  onlySome: (channel) =>
    `Nem todos neste servidor podem ler ${channel}, então alguns membros não verão essas mensagens.`,

  testTitle: (id, status) => `Pedido ${id}, se chegasse agora com o status ${status}`,
  fits: "a regra se aplica",
  goesBy: (channel, rule) => `O aviso vai para ${channel}, pela regra **${rule}**.`,
  goesTo: (channel) => `O aviso vai para ${channel}: nenhuma regra de aviso se aplica.`,
  feeds: (channels) => `Mensagens públicas: ${channels}.`,
  noFeeds: "Mensagens públicas: nenhuma.",
  notAnnounced: "Mas pedidos que chegam com este status não são avisados. **/avisos definir** escolhe quais são.",
  reasons: {
    status: (status) => `o status não é ${status}`,
    product: (title) => `não tem ${title}`,
    category: (name) => `não tem nada da categoria de ${name}`,
    unknownCategory: "a loja não informou de que categoria são os produtos",
    method: (text) => `a forma de pagamento não contém “${text}”`,
    from: (amount) => `o total é menor que ${amount}`,
    to: (amount) => `o total é maior que ${amount}`,
    items: (count) => `a quantidade de unidades é menor que ${count}`,
  },

  refused: {
    name: `Uma regra precisa de um nome de 1 a ${ruleNameMax} caracteres visíveis. Nada foi alterado.`,
    exists:
      "Já existe uma regra com esse nome. Nada foi alterado. Escolha outro nome ou apague essa regra com `/avisos rota remover`.",
    full: `Já há ${mostRules} regras, o máximo. Nada foi alterado. Apague uma antes.`,
    statuses: `Já há regras para ${mostRuleStatuses} status, o máximo. Nada foi alterado. Use um desses ou apague uma regra.`,
    status:
      "Uma regra aceita um só status. Nada foi alterado. Escolha um da lista e crie outra regra para cada um dos outros.",
    product: "A loja não tem nenhum produto com esse título. Nada foi alterado. Escolha um da lista.",
    amount: "Isso não é um valor. Nada foi alterado. Digite um como `100` ou `1.234,56`.",
    reversed: "O total mínimo é maior que o máximo. Nada foi alterado. Inverta `de` e `até`.",
    unknown: "Não há nenhuma regra com esse nome. Nada foi alterado. Escolha uma da lista.",
  },
};
