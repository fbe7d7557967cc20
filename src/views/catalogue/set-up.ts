import { defineTexts } from "./define-texts.ts";

/** What leads from an accepted API token to the first alert, and what `/alerts set` shares with it. Arguments come in harmless. */
export const setUp = defineTexts({
  en: {
    title: "Your store is connected",
    intro: (last4: string) =>
      `API token ending in ${last4}. Choose where and how new orders are announced, then press **Send a sample** to turn alerts on.`,
    channel: "Channel",
    chooseChannel: "Choose a channel",
    role: "Role to mention",
    noRoleChosen: "No role",
    rings: "What triggers an alert",
    ring: {
      new: "New orders",
      paid: "Paid orders",
      both: "New and paid orders",
    },
    ringHint: {
      new: "As soon as an order is placed",
      paid: "Only once an order is paid",
      both: "When it is placed, and again when it is paid",
    },
    zoneHint:
      "Used for days, quiet hours and digests. The first one is a guess from your language. For other time zones, use **/store settings**.",
    sendSample: "Send a sample",
    tryAgain: "Try again",
    noRole: "No role",
    change: "Change",
    details: "Details",
    lacking: (channel: string, permissions: string) =>
      `In ${channel}, the bot is missing: ${permissions}. Allow this for the bot in the channel's settings under **Permissions**, then press **Try again**.`,
    silentRole: (role: string, permission: string) =>
      `${role} is not notified yet: in the role's settings, let anyone mention it, or give the bot **${permission}** in that channel. Then press **Try again**.`,
    customersShown: (channel: string) =>
      `Everyone in this server can read ${channel}, and alerts there would show customers, as your privacy setting allows. Press **Confirm** to continue, or choose another channel.`,
    done: (channel: string) => `A sample was posted in ${channel}. From now on, new orders are announced there.`,
    doneTitle: "Alerts are on",
    waiting: (count: string) => `Already waiting, without an alert: **${count}**.`,
    everyoneStays: "Alerts cannot mention @everyone, so the role stays as it was.",
    roleGone: "Alerts no longer mention a role.",
    isSample: "This is a sample, so there is no order behind it. In a real alert, this button shows the order.",
    sampleItem: "Sample product",
    otherSampleItem: "Another sample product",
    allWell: (host: string, looked: string) => `All is well: ${host} answers. Last check for orders: ${looked}.`,
    answersOnly: (host: string) => `${host} answers, but alerts are off. Turn them on with **/alerts set**.`,
    notWell: "Something needs attention",
    tokenRefused: (since: string) =>
      `The store refuses the API token (first noticed ${since}). Enter a new one with **/store connect**.`,
    cannotPost: (channel: string, since: string) =>
      `Alerts cannot be posted in ${channel} (first noticed ${since}). Give the bot its permissions there, or choose another channel with **/alerts set**: everything that is waiting is then posted.`,
    late: (delay: string) =>
      `The last check for orders was late (delay: ${delay}). If this goes on, tell the person who runs this bot.`,
  },
  "pt-BR": {
    title: "Sua loja está conectada",
    intro: (last4) =>
      `Token da API terminado em ${last4}. Escolha onde e como receber os avisos de novos pedidos e clique em **Enviar um exemplo** para ativar os avisos.`,
    channel: "Canal",
    chooseChannel: "Escolha um canal",
    role: "Cargo a mencionar",
    noRoleChosen: "Nenhum cargo",
    rings: "O que gera um aviso",
    ring: {
      new: "Novos pedidos",
      paid: "Pedidos pagos",
      both: "Pedidos novos e pagos",
    },
    ringHint: {
      new: "Assim que o pedido é feito",
      paid: "Só quando o pedido é pago",
      both: "Quando o pedido é feito e de novo quando é pago",
    },
    zoneHint:
      "Vale para os dias, o período de silêncio e os resumos. O primeiro é um palpite pelo seu idioma. Para outros fusos, use **/loja configurar**.",
    sendSample: "Enviar um exemplo",
    tryAgain: "Tentar de novo",
    noRole: "Sem cargo",
    change: "Alterar",
    details: "Detalhes",
    lacking: (channel, permissions) =>
      `Em ${channel}, falta ao bot: ${permissions}. Permita isso ao bot nas configurações do canal, em **Permissões**, e clique em **Tentar de novo**.`,
    silentRole: (role, permission) =>
      `${role} ainda não é notificado: nas configurações do cargo, permita que qualquer pessoa o mencione, ou dê ao bot **${permission}** nesse canal. Depois clique em **Tentar de novo**.`,
    customersShown: (channel) =>
      `Todos neste servidor podem ler ${channel}, e os avisos ali mostrariam clientes, conforme a sua configuração de privacidade. Clique em **Confirmar** para continuar ou escolha outro canal.`,
    done: (channel) => `Publiquei um exemplo em ${channel}. A partir de agora, os avisos de novos pedidos chegam ali.`,
    doneTitle: "Os avisos estão ativados",
    waiting: (count) => `Pedidos que já aguardavam, sem aviso: **${count}**.`,
    everyoneStays: "Os avisos não podem mencionar @everyone, então o cargo continua como estava.",
    roleGone: "Os avisos não mencionam mais nenhum cargo.",
    isSample:
      "Isto é um exemplo, então não há pedido por trás dele. Em um aviso de verdade, este botão mostra o pedido.",
    sampleItem: "Produto de exemplo",
    otherSampleItem: "Outro produto de exemplo",
    allWell: (host, looked) => `Tudo certo: ${host} responde. Última verificação de pedidos: ${looked}.`,
    answersOnly: (host) => `${host} responde, mas os avisos estão desativados. Ative com **/avisos definir**.`,
    notWell: "Algo precisa de atenção",
    tokenRefused: (since) =>
      `A loja recusa o token da API (problema detectado ${since}). Informe um novo com **/loja conectar**.`,
    cannotPost: (channel, since) =>
      `Não é possível publicar avisos em ${channel} (problema detectado ${since}). Dê ao bot as permissões ali ou escolha outro canal com **/avisos definir**: tudo o que está aguardando será publicado.`,
    late: (delay) =>
      `A última verificação de pedidos atrasou (atraso: ${delay}). Se isso continuar, fale com quem administra este bot.`,
  },
  es: {
    title: "Tu tienda está conectada",
    intro: (last4) =>
      `Token de la API terminado en ${last4}. Elige dónde y cómo recibir los avisos de pedidos nuevos y presiona **Enviar una muestra** para activar los avisos.`,
    channel: "Canal",
    chooseChannel: "Elige un canal",
    role: "Rol que se menciona",
    noRoleChosen: "Ningún rol",
    rings: "Qué genera un aviso",
    ring: {
      new: "Pedidos nuevos",
      paid: "Pedidos pagados",
      both: "Pedidos nuevos y pagados",
    },
    ringHint: {
      new: "En cuanto se hace el pedido",
      paid: "Solo cuando el pedido se paga",
      both: "Cuando se hace el pedido y otra vez cuando se paga",
    },
    zoneHint:
      "Vale para los días, el período de silencio y los resúmenes. La primera se supone por tu idioma. Para otras zonas, usa **/tienda ajustes**.",
    sendSample: "Enviar una muestra",
    tryAgain: "Intentar de nuevo",
    noRole: "Sin rol",
    change: "Cambiar",
    details: "Detalles",
    lacking: (channel, permissions) =>
      `En ${channel}, al bot le falta: ${permissions}. Permíteselo al bot en los ajustes del canal, en **Permisos**, y presiona **Intentar de nuevo**.`,
    silentRole: (role, permission) =>
      `${role} todavía no recibe la notificación: en los ajustes del rol, permite que cualquiera lo mencione, o dale al bot **${permission}** en ese canal. Luego presiona **Intentar de nuevo**.`,
    customersShown: (channel) =>
      `Todos en este servidor pueden leer ${channel}, y allí los avisos mostrarían clientes, según tu ajuste de privacidad. Presiona **Confirmar** para continuar o elige otro canal.`,
    done: (channel) =>
      `Se publicó una muestra en ${channel}. A partir de ahora, los avisos de pedidos nuevos llegan allí.`,
    doneTitle: "Los avisos están activados",
    waiting: (count) => `Pedidos que ya estaban en espera, sin aviso: **${count}**.`,
    everyoneStays: "Los avisos no pueden mencionar a @everyone, así que el rol sigue como estaba.",
    roleGone: "Los avisos ya no mencionan ningún rol.",
    isSample:
      "Esto es una muestra, así que no hay ningún pedido detrás. En un aviso real, este botón muestra el pedido.",
    sampleItem: "Producto de muestra",
    otherSampleItem: "Otro producto de muestra",
    allWell: (host, looked) => `Todo en orden: ${host} responde. Última revisión de pedidos: ${looked}.`,
    answersOnly: (host) => `${host} responde, pero los avisos están desactivados. Actívalos con **/avisos activar**.`,
    notWell: "Algo necesita atención",
    tokenRefused: (since) =>
      `La tienda rechaza el token de la API (detectado ${since}). Ingresa uno nuevo con **/tienda conectar**.`,
    cannotPost: (channel, since) =>
      `No se pueden publicar avisos en ${channel} (detectado ${since}). Dale al bot sus permisos allí o elige otro canal con **/avisos activar**: todo lo que está en espera se publicará.`,
    late: (delay) =>
      `La última revisión de pedidos se retrasó (retraso: ${delay}). Si esto continúa, avisa a quien administra este bot.`,
  },
});
