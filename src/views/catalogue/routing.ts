import { defineTexts, plural } from "./define-texts.ts";

/** Rules about where orders go: answers of `/alerts route`, and what is posted by them. Arguments come in harmless. */
export const routing = defineTexts({
  en: {
    bought: (items: string) => `Someone bought ${items}`,
    boughtSomething: "Someone bought something",
    orders: (status: string, count: number) =>
      `${status}: ${plural("en", count, { one: "1 order", other: `${count} orders` })}`,
    stranded: (rule: string, channel: string) =>
      `${rule}: nothing can be posted in ${channel}. Its alerts come here until that is fixed.`,
    unsure: "The store did not say which category this is in, so rules by category could not be checked.",

    title: "Rules",
    none: (channel: string) =>
      `There are no rules: every alert goes to ${channel}. Create one with **/alerts route add**.`,
    noneOff: "There are no rules, and alerts are off. Turn them on with **/alerts set**.",
    otherwise: (channel: string) => `All other alerts go to ${channel}.`,
    off: "Alerts are off, so these rules do nothing. Turn alerts on with **/alerts set**.",
    order:
      "An alert follows the first rule that matches. Every matching public line is posted as well. Each rule applies to an order once.",

    style: { staff: "alert", feed: "public line" },
    newOrders: "new orders",
    entering: (status: string) => `orders that become ${status}`,
    product: (title: string) => `with ${title}`,
    category: (name: string) => `in the category of ${name}`,
    method: (text: string) => `paid with “${text}”`,
    from: (amount: string) => `${amount} or more`,
    to: (amount: string) => `${amount} or less`,
    items: (count: string) => `${count} pieces or more`,
    amount: "with the total",

    added: (rule: string) => `Rule **${rule}** created. It applies from now on.`,
    moved: (rule: string, place: string, of: string) => `Rule **${rule}** is now number ${place} of ${of}.`,
    removed: (rule: string) => `Rule **${rule}** deleted.`,
    noEveryone: "The bot never mentions @everyone, so this rule mentions no role.",
    noCustomers: (channel: string) =>
      `Alerts in ${channel} leave out the customer, because everyone may be able to read it. Choose a private channel to show customers.`,
    onlySome: (channel: string) =>
      `Not everyone in this server can read ${channel}, so some members will not see these lines.`,

    testTitle: (id: string, status: string) => `Order ${id}, if it arrived now with the status ${status}`,
    fits: "matches",
    goesBy: (channel: string, rule: string) => `The alert goes to ${channel}, by the rule **${rule}**.`,
    goesTo: (channel: string) => `The alert goes to ${channel}: no alert rule matches.`,
    feeds: (channels: string) => `Public lines: ${channels}.`,
    noFeeds: "Public lines: none.",
    lacks: {
      status: (status: string) => `its status is not ${status}`,
      product: (title: string) => `it does not contain ${title}`,
      category: (name: string) => `it has nothing in the category of ${name}`,
      unknownCategory: "the store did not say which category its products are in",
      method: (text: string) => `its payment method does not contain “${text}”`,
      from: (amount: string) => `its total is less than ${amount}`,
      to: (amount: string) => `its total is more than ${amount}`,
      items: (count: string) => `it has fewer than ${count} pieces`,
    },

    refused: {
      name: "A rule needs a name of 1 to 40 visible characters. Nothing was changed.",
      exists:
        "There is already a rule with that name. Nothing was changed. Choose another name, or delete that rule with `/alerts route remove`.",
      full: "There are already 25 rules, the maximum. Nothing was changed. Delete one first.",
      statuses:
        "There are already rules for 5 statuses, the maximum. Nothing was changed. Use one of those, or delete a rule.",
      status:
        "A rule takes one status. Nothing was changed. Choose one from the list, and add another rule for each other status.",
      product: "The store has no product with that title. Nothing was changed. Choose one from the list.",
      amount: "That is not an amount. Nothing was changed. Type one such as `100` or `1,234.56`.",
      reversed: "The smallest total is more than the largest. Nothing was changed. Swap `from` and `to`.",
      items: "The number of pieces is a whole number, 1 or more. Nothing was changed.",
      position: "A position is a whole number from 1 to 25. Nothing was changed.",
      unknown: "There is no rule with that name. Nothing was changed. Choose one from the list.",
    },
  },
  "pt-BR": {
    bought: (items) => `Alguém comprou ${items}`,
    boughtSomething: "Alguém comprou algo",
    orders: (status, count) =>
      `${status}: ${plural("pt-BR", count, { one: `${count} pedido`, other: `${count} pedidos` })}`,
    stranded: (rule, channel) =>
      `${rule}: não dá para publicar em ${channel}. Os avisos dela chegam aqui até que isso seja resolvido.`,
    unsure: "A loja não informou a categoria, então não foi possível verificar as regras por categoria.",

    title: "Regras",
    none: (channel) => `Não há regras: todo aviso vai para ${channel}. Crie uma com **/avisos rota adicionar**.`,
    noneOff: "Não há regras, e os avisos estão desativados. Ative com **/avisos definir**.",
    otherwise: (channel) => `Todos os outros avisos vão para ${channel}.`,
    off: "Os avisos estão desativados, então estas regras não fazem nada. Ative os avisos com **/avisos definir**.",
    order:
      "O aviso segue a primeira regra que se aplicar. Toda linha pública que se aplicar também é publicada. Cada regra vale uma vez por pedido.",

    style: { staff: "aviso", feed: "linha pública" },
    newOrders: "novos pedidos",
    entering: (status) => `pedidos que passam a ${status}`,
    product: (title) => `com ${title}`,
    category: (name) => `da categoria de ${name}`,
    method: (text) => `pagos com “${text}”`,
    from: (amount) => `${amount} ou mais`,
    to: (amount) => `${amount} ou menos`,
    items: (count) => `${count} unidades ou mais`,
    amount: "com o total",

    added: (rule) => `Regra **${rule}** criada. Ela vale a partir de agora.`,
    moved: (rule, place, of) => `A regra **${rule}** agora é a número ${place} de ${of}.`,
    removed: (rule) => `Regra **${rule}** apagada.`,
    noEveryone: "O bot nunca menciona @everyone, então esta regra não menciona nenhum cargo.",
    noCustomers: (channel) =>
      `Os avisos em ${channel} não mostram o cliente, porque talvez todos possam ler esse canal. Para mostrar o cliente, escolha um canal privado.`,
    onlySome: (channel) =>
      `Nem todos neste servidor podem ler ${channel}, então alguns membros não verão essas linhas.`,

    testTitle: (id, status) => `Pedido ${id}, se chegasse agora com o status ${status}`,
    fits: "aplica-se",
    goesBy: (channel, rule) => `O aviso vai para ${channel}, pela regra **${rule}**.`,
    goesTo: (channel) => `O aviso vai para ${channel}: nenhuma regra de aviso se aplica.`,
    feeds: (channels) => `Linhas públicas: ${channels}.`,
    noFeeds: "Linhas públicas: nenhuma.",
    lacks: {
      status: (status) => `o status não é ${status}`,
      product: (title) => `não tem ${title}`,
      category: (name) => `não tem nada da categoria de ${name}`,
      unknownCategory: "a loja não informou de que categoria são os produtos",
      method: (text) => `a forma de pagamento não contém “${text}”`,
      from: (amount) => `o total é menor que ${amount}`,
      to: (amount) => `o total é maior que ${amount}`,
      items: (count) => `tem menos de ${count} unidades`,
    },

    refused: {
      name: "Uma regra precisa de um nome de 1 a 40 caracteres visíveis. Nada foi alterado.",
      exists:
        "Já existe uma regra com esse nome. Nada foi alterado. Escolha outro nome ou apague essa regra com `/avisos rota remover`.",
      full: "Já há 25 regras, o máximo. Nada foi alterado. Apague uma antes.",
      statuses: "Já há regras para 5 status, o máximo. Nada foi alterado. Use um desses ou apague uma regra.",
      status:
        "Uma regra aceita um só status. Nada foi alterado. Escolha um da lista e crie outra regra para cada um dos outros.",
      product: "A loja não tem nenhum produto com esse título. Nada foi alterado. Escolha um da lista.",
      amount: "Isso não é um valor. Nada foi alterado. Digite um como `100` ou `1.234,56`.",
      reversed: "O menor total é maior que o maior. Nada foi alterado. Inverta `de` e `até`.",
      items: "A quantidade de unidades é um número inteiro, 1 ou mais. Nada foi alterado.",
      position: "A posição é um número inteiro de 1 a 25. Nada foi alterado.",
      unknown: "Não há nenhuma regra com esse nome. Nada foi alterado. Escolha uma da lista.",
    },
  },
  es: {
    bought: (items) => `Alguien compró ${items}`,
    boughtSomething: "Alguien compró algo",
    orders: (status, count) =>
      `${status}: ${plural("es", count, { one: `${count} pedido`, other: `${count} pedidos` })}`,
    stranded: (rule, channel) =>
      `${rule}: no se puede publicar en ${channel}. Sus avisos llegan aquí hasta que eso se arregle.`,
    unsure: "La tienda no indicó la categoría, así que no se pudieron revisar las reglas por categoría.",

    title: "Reglas",
    none: (channel) => `No hay reglas: todos los avisos van a ${channel}. Crea una con **/avisos ruta agregar**.`,
    noneOff: "No hay reglas, y los avisos están desactivados. Actívalos con **/avisos activar**.",
    otherwise: (channel) => `Todos los demás avisos van a ${channel}.`,
    off: "Los avisos están desactivados, así que estas reglas no hacen nada. Activa los avisos con **/avisos activar**.",
    order:
      "El aviso sigue la primera regla que se cumpla. También se publican todas las líneas públicas que se cumplan. Cada regla se aplica una vez por pedido.",

    style: { staff: "aviso", feed: "línea pública" },
    newOrders: "pedidos nuevos",
    entering: (status) => `pedidos que pasan a ${status}`,
    product: (title) => `con ${title}`,
    category: (name) => `de la categoría de ${name}`,
    method: (text) => `pagados con “${text}”`,
    from: (amount) => `${amount} o más`,
    to: (amount) => `${amount} o menos`,
    items: (count) => `${count} unidades o más`,
    amount: "con el total",

    added: (rule) => `Regla **${rule}** creada. Se aplica a partir de ahora.`,
    moved: (rule, place, of) => `La regla **${rule}** ahora es la número ${place} de ${of}.`,
    removed: (rule) => `Regla **${rule}** borrada.`,
    noEveryone: "El bot nunca menciona @everyone, así que esta regla no menciona ningún rol.",
    noCustomers: (channel) =>
      `Los avisos en ${channel} no muestran al cliente, porque quizá todos puedan leer ese canal. Para mostrar al cliente, elige un canal privado.`,
    onlySome: (channel) =>
      `No todos en este servidor pueden leer ${channel}, así que algunos miembros no verán estas líneas.`,

    testTitle: (id, status) => `Pedido ${id}, si llegara ahora con el estado ${status}`,
    fits: "se cumple",
    goesBy: (channel, rule) => `El aviso va a ${channel}, por la regla **${rule}**.`,
    goesTo: (channel) => `El aviso va a ${channel}: no se cumple ninguna regla de aviso.`,
    feeds: (channels) => `Líneas públicas: ${channels}.`,
    noFeeds: "Líneas públicas: ninguna.",
    lacks: {
      status: (status) => `su estado no es ${status}`,
      product: (title) => `no tiene ${title}`,
      category: (name) => `no tiene nada de la categoría de ${name}`,
      unknownCategory: "la tienda no indicó de qué categoría son sus productos",
      method: (text) => `su método de pago no contiene “${text}”`,
      from: (amount) => `su total es menor que ${amount}`,
      to: (amount) => `su total es mayor que ${amount}`,
      items: (count) => `tiene menos de ${count} unidades`,
    },

    refused: {
      name: "Una regla necesita un nombre de 1 a 40 caracteres visibles. No se cambió nada.",
      exists:
        "Ya hay una regla con ese nombre. No se cambió nada. Elige otro nombre o borra esa regla con `/avisos ruta quitar`.",
      full: "Ya hay 25 reglas, el máximo. No se cambió nada. Borra una antes.",
      statuses: "Ya hay reglas para 5 estados, el máximo. No se cambió nada. Usa uno de esos o borra una regla.",
      status:
        "Una regla admite un solo estado. No se cambió nada. Elige uno de la lista y crea otra regla para cada uno de los demás.",
      product: "La tienda no tiene ningún producto con ese título. No se cambió nada. Elige uno de la lista.",
      amount: "Eso no es un importe. No se cambió nada. Escribe uno como `100` o `1.234,56`.",
      reversed: "El total más bajo es mayor que el más alto. No se cambió nada. Intercambia `desde` y `hasta`.",
      items: "La cantidad de unidades es un número entero, 1 o más. No se cambió nada.",
      position: "La posición es un número entero de 1 a 25. No se cambió nada.",
      unknown: "No hay ninguna regla con ese nombre. No se cambió nada. Elige una de la lista.",
    },
  },
});
