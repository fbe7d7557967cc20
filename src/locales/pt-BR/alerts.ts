import type { Texts } from "../shape.ts";
import { plural } from "./plural.ts";

export const alerts: Texts["alerts"] = {
  newOrder: "Novo pedido",
  newOrders: (count) => plural(count, { one: `${count} novo pedido`, other: `${count} novos pedidos` }),
  paidOrder: "Pedido pago",
  paidOrders: (count) => plural(count, { one: `${count} pedido pago`, other: `${count} pedidos pagos` }),
  paidAmongNew: (count) => plural(count, { one: `${count} pago`, other: `${count} pagos` }),
  refundedOrders: (count) =>
    plural(count, { one: `${count} pedido reembolsado`, other: `${count} pedidos reembolsados` }),
  bare: "O Discord não aceita aqui os textos deste pedido. **Abrir** os mostra.",
  sample: "Isto é um exemplo: ninguém comprou nada. Um aviso de verdade fica assim.",
};

export const notices: Texts["notices"] = {
  alertsHere: "A partir de agora, os avisos de pedidos chegam neste canal.",
  earlierOrders: (count, shown) =>
    plural(count, {
      one: `**${shown}** pedido anterior não gera aviso.`,
      other: `**${shown}** pedidos anteriores não geram aviso.`,
    }),
  storeDown: (since) =>
    `A loja não dá uma resposta utilizável desde as ${since}. Até isso mudar, não dá para ver novos pedidos. Nenhum se perde: todos serão publicados depois. **/loja situação** mostra o motivo.`,
  storeBack: (count) => `A loja voltou a responder. Pedidos que chegaram nesse meio-tempo: ${count}.`,
  tokenRefused:
    "A loja recusa o token da API, então não dá para ver novos pedidos. Nenhum se perde: o bot continua tentando e publica os que chegarem nesse meio-tempo assim que um token for aceito. Se isso continuar, crie um novo token no painel de administração da loja (Configurações, depois Open API) e informe-o com **/loja conectar**.",
  keyLost:
    "O token da API que estava salvo não pode mais ser lido, porque a chave de criptografia do bot mudou, então não dá para ver novos pedidos. Informe o token de novo com **/loja conectar**. Nenhum pedido se perde: os que chegarem nesse meio-tempo serão publicados depois.",
  channelLost: (server, channel) =>
    `Os avisos de pedidos do servidor **${server}** não podem ser publicados em ${channel}: o canal não existe mais. Os pedidos estão guardados. Escolha outro canal com **/avisos definir** e todos serão publicados lá.`,
  channelForbidden: (server, channel) =>
    `Os avisos de pedidos do servidor **${server}** não podem ser publicados em ${channel}: falta uma permissão. Os pedidos estão guardados. Dê ao bot as permissões **Ver canal**, **Enviar mensagens**, **Inserir links** e **Ver histórico de mensagens** ali, ou escolha outro canal com **/avisos definir**, e todos serão publicados.`,
  digestChannelLost: (server, channel) =>
    `O resumo do servidor **${server}** não pode ser publicado em ${channel}: o canal não existe mais. Nada se perde. Escolha outro canal com **/resumo definir** ou desative o resumo com **/resumo desativar**.`,
  digestForbidden: (server, channel) =>
    `O resumo do servidor **${server}** não pode ser publicado em ${channel}: falta uma permissão. Nada se perde. Dê ao bot as permissões **Ver canal**, **Enviar mensagens**, **Inserir links** e **Ver histórico de mensagens** ali, ou escolha outro canal com **/resumo definir**, e ele será publicado.`,
  route: {
    lost: (rule, server, channel) =>
      `A regra **${rule}** do servidor **${server}** não consegue publicar em ${channel}: o canal não existe mais. Apague a regra com **/avisos rota remover** e crie de novo para outro canal.`,
    forbidden: (rule, server, channel) =>
      `A regra **${rule}** do servidor **${server}** não consegue publicar em ${channel}: falta uma permissão. Dê ao bot as permissões **Ver canal**, **Enviar mensagens**, **Inserir links** e **Ver histórico de mensagens** ali.`,
    meanwhile: {
      staff: "Nenhum aviso se perde: até lá, os avisos são publicados no canal de sempre.",
      feed: "Até lá, as mensagens públicas da regra esperam.",
    },
    linesLost: "As mensagens públicas dos pedidos que chegarem até lá não são publicadas.",
  },
};
