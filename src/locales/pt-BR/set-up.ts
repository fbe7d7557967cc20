import type { Texts } from "../shape.ts";
import { plural } from "./plural.ts";

export const setUp: Texts["setUp"] = {
  title: "Sua loja está conectada",
  intro: (last4) =>
    `Token da API terminado em ${last4}. Escolha onde e como receber os avisos de novos pedidos e clique em **Enviar um exemplo** para ativar os avisos.`,
  introOn: (last4) =>
    `Token da API terminado em ${last4}. Os avisos estão ativados. Se você mudar o canal, o cargo ou o que gera um aviso, clique em **Enviar um exemplo** para salvar.`,
  channel: "Canal",
  chooseChannel: "Escolha um canal",
  role: "Cargo a mencionar",
  noRoleChosen: "Nenhum cargo",
  triggers: "O que gera um aviso",
  trigger: {
    new: "Novos pedidos",
    paid: "Pedidos pagos",
    both: "Pedidos novos e pagos",
  },
  triggerHint: {
    new: "Assim que o pedido é feito",
    paid: "Só quando o pedido é pago",
    both: "Quando o pedido é feito e de novo quando é pago",
  },
  zoneHint:
    "Vale para estatísticas, arquivos, resumos e período de silêncio. O primeiro é uma sugestão com base no seu idioma. Para outros fusos, use **/loja configurar**.",
  sendSample: "Enviar um exemplo",
  noRole: "Sem cargo",
  change: "Alterar",
  details: "Detalhes",
  missing: (channel, permissions) =>
    `Em ${channel}, o bot ainda não tem: ${permissions}. Libere isso para o bot nas configurações do canal, em **Permissões**.`,
  silentRole: (role, permission) =>
    `${role} ainda não é notificado: nas configurações do cargo, permita que qualquer pessoa o mencione, ou dê ao bot a permissão **${permission}** nesse canal.`,
  goneRole:
    "O cargo que os avisos mencionam foi apagado, então ninguém é notificado. Escolha outro cargo com **/avisos definir**.",
  goneStaffRole:
    "O cargo da equipe foi apagado, então a equipe não pode mais usar o bot. Escolha outro cargo com **/loja configurar**.",
  customersShown: (channel) =>
    `Talvez todos neste servidor possam ler ${channel}, e os avisos ali mostrariam dados de clientes, conforme a sua configuração de privacidade. Clique em **Confirmar** para continuar ou escolha outro canal.`,
  done: (channel) => `Um exemplo foi publicado em ${channel}. A partir de agora, os avisos de pedidos chegam ali.`,
  doneTitle: "Os avisos estão ativados",
  everyoneStays: "Os avisos não podem mencionar @everyone, então o cargo continua como estava.",
  unknownStatuses: (count, statuses) =>
    plural(count, {
      one: `O bot não conhece o status ${statuses}: ele só gera aviso se a sua loja usar exatamente essa palavra.`,
      other: `O bot não conhece os status ${statuses}: eles só geram aviso se a sua loja usar exatamente essas palavras.`,
    }),
  roleGone: "Os avisos não mencionam mais nenhum cargo.",
  isSample:
    "Isto é um exemplo, então não existe pedido para mostrar. Em um aviso de verdade, este botão mostra o pedido.",
  sampleItem: "Produto de exemplo",
  otherSampleItem: "Outro produto de exemplo",
  allWell: (host, looked) => `Tudo certo: ${host} responde. Última verificação de pedidos: ${looked}.`,
  answersOnly: (host) => `${host} responde, mas os avisos estão desativados. Ative com **/avisos definir**.`,
  notWell: "Algo precisa de atenção",
  tokenRefused: (since) =>
    `A loja recusa o token da API (problema detectado ${since}). Informe um novo com **/loja conectar**.`,
  cannotPost: (channel, since) =>
    `Não é possível publicar avisos em ${channel} (problema detectado ${since}). Dê ao bot as permissões ali ou escolha outro canal com **/avisos definir**: tudo o que está aguardando será publicado.`,
  notPosted: (channel, since) =>
    `A última mensagem de uma regra ou do resumo para ${channel} não pôde ser publicada (problema detectado ${since}). Confira as permissões do bot ali ou escolha outro canal.`,
  late: (delay) =>
    `A última verificação de pedidos atrasou (atraso: ${delay}). Se isso continuar, fale com quem administra este bot.`,
  onlyPageOne:
    "A loja ignora o número da página, então o bot só vê a primeira página de pedidos e pode perder outros. Fale com quem administra este bot: `STORE_ORDER_PARAMS` pode ter um nome errado para ele.",
};

export const connect: Texts["connect"] = {
  title: "Conectar sua loja",
  label: "Token da API",
  hint: "No painel de administração da loja: Configurações, depois Open API. Fica guardado com criptografia.",
  placeholder: "Cole o token aqui",
};

export const greeting: Texts["greeting"] = {
  inServer: "Olá! Eu sou o Shopbell e aviso sobre cada novo pedido da sua loja",
  toOwner: (server) => `Olá! Agora estou em **${server}** e aviso sobre cada novo pedido da sua loja`,
  nextStep:
    "Próximo passo, para quem tem a permissão **Gerenciar servidor**: digite **/loja conectar** em qualquer canal do servidor e cole o token da API da sua loja na janela que se abre. Ninguém mais vê o token.",
};
