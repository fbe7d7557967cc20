import type { Texts } from "../shape.ts";

export const firstStart: Texts["firstStart"] = {
  title: "Shopbell: configuração inicial",
  need: "Você precisa de duas coisas: o token de um bot do Discord e o endereço da API da sua loja.",
  portal: "O token, no portal de desenvolvedores do Discord:",
  newApplication: "1. New Application: dê um nome (será o nome do bot) e clique em Create.",
  resetToken: "2. Bot, no menu à esquerda: clique em Reset Token e depois em Copy.",
  askToken: "Cole o token. Ele não aparece na tela.",
  noToken: "Cole o token que o Reset Token mostrou.",
  tokenShape: "Um token de bot é uma só palavra, copiada inteira do portal de desenvolvedores.",
  asking: "Consultando o Discord…",
  tokenRefused: "O Discord não reconhece este token. O Reset Token cria um novo; o antigo deixa de funcionar.",
  discordAway: (reason) =>
    `Não foi possível acessar o Discord (${reason}). Verifique a rede deste computador, DISCORD_API_URL, se você a definiu, e https://discordstatus.com.`,
  bot: (name) => `Este é o bot ${name}.`,
  whatNow: "E agora?",
  askStore: "Endereço da API da sua loja",
  storeExample: "https://api.exemplo.com.br",
  noStore: "Digite o endereço, como https://api.exemplo.com.br. O bot não funciona sem ele.",
  storeShape: {
    none: "Isto não é um endereço; um endereço é como https://api.exemplo.com.br. O token da API da loja é pedido depois, no Discord.",
    http: "Este endereço não serve: ele precisa começar com https://.",
  },
  storeGiven: (address) => `A API da loja fica em ${address}, como diz STORE_API_URL.`,
  storeFound: (host) => `${host} pede um token, como a API de uma loja.`,
  storeOther: (host, status) =>
    `Em ${host} não responde a API de uma loja, e sim outra coisa, como uma página web (resposta ${status}).`,
  storeNone: (host, reason) => `Não foi possível acessar ${host} (${reason}). O endereço está certo?`,
  storeWhere:
    "O endereço da API costuma ser diferente do endereço da loja: procure no painel da sua loja, em Configurações, Open API, ou pergunte ao fornecedor dela.",
  otherAddress: "Digitar outro endereço",
  keepAddress: "Manter este",
  kept: "Para corrigir depois, altere STORE_API_URL no arquivo .env desta pasta, ou apague esse arquivo e inicie de novo.",
  keptGiven:
    "Para corrigir, altere STORE_API_URL onde você a definiu e inicie de novo. Ela tem prioridade sobre o arquivo .env.",
  written: "Os dois estão agora no arquivo .env. Não mostre esse arquivo a ninguém.",
  notWritten: (reason) =>
    `Não foi possível gravar o arquivo .env (${reason}). Nada foi salvo. Corrija isso e inicie de novo.`,
  exists: "Um arquivo .env apareceu nesse meio-tempo e ficou como está. Inicie de novo.",
  invite: "Agora convide o bot. Abra este link, escolha o seu servidor e clique em Autorizar:",
  goesOn: "O bot está iniciando. Use Ctrl-C para encerrar.",
  cancelled: "Cancelado. Nada foi salvo.",
};
