import { defineTexts, plural } from "./define-texts.ts";

/** Rules about where orders go: answers of `/alerts route`, and what is posted by them. Arguments come in harmless. */
export const routing = defineTexts({
  en: {
    bought: (items: string) => `Someone bought ${items}`,
    boughtSomething: "Someone bought something",
    orders: (status: string, count: number) =>
      `${status}: ${plural("en", count, { one: "1 order", other: `${count} orders` })}`,
    stranded: (rule: string, channel: string) =>
      `${rule}: nothing can be posted in ${channel}. It rings here until that is mended.`,

    title: "Rules",
    none: (channel: string) =>
      `There are no rules: every alert goes to ${channel}. Make one with **/alerts route add**.`,
    noneOff: "There are no rules, and alerts are off. Turn them on with **/alerts set**.",
    otherwise: (channel: string) => `Otherwise: alerts go to ${channel}.`,
    off: "Alerts are off, so these rules do nothing. Turn alerts on with **/alerts set**.",
    order:
      "Of the alert rules the first that fits decides; every public line that fits is posted beside it. Each order goes once by each rule.",

    style: { staff: "alert", feed: "public line" },
    newOrders: "new orders",
    entering: (status: string) => `orders that enter ${status}`,
    product: (title: string) => `with ${title}`,
    category: (name: string) => `of the category of ${name}`,
    method: (text: string) => `paid with “${text}”`,
    from: (amount: string) => `${amount} or more`,
    to: (amount: string) => `${amount} or less`,
    items: (count: string) => `${count} pieces or more`,
    amount: "with the total",

    added: (rule: string) => `Rule **${rule}** is set. It works from now on.`,
    moved: (rule: string, place: string, of: string) => `Rule **${rule}** is number ${place} of ${of} now.`,
    removed: (rule: string) => `Rule **${rule}** is deleted.`,
    noEveryone: "The bot never mentions @everyone, so this rule mentions no role.",
    noCustomers: (channel: string) =>
      `Alerts in ${channel} show no customer: that takes a channel of which it is known that not everyone can read it.`,
    onlySome: (channel: string) =>
      `Not everyone in this server can read ${channel}: the others do not see these lines.`,

    testTitle: (id: string, status: string) => `The order ${id}, if it came now in the status ${status}`,
    fits: "fits",
    goesBy: (channel: string, rule: string) => `The alert goes to ${channel}, by the rule **${rule}**.`,
    goesTo: (channel: string) => `The alert goes to ${channel}: no alert rule fits.`,
    feeds: (channels: string) => `Public lines: ${channels}.`,
    noFeeds: "Public lines: none.",
    lacks: {
      status: (status: string) => `its status is not ${status}`,
      product: (title: string) => `it does not have ${title}`,
      category: (name: string) => `it has nothing of the category of ${name}`,
      unknownCategory: "the store did not say of which category its products are",
      method: (text: string) => `its payment method does not have “${text}” in it`,
      from: (amount: string) => `its total is less than ${amount}`,
      to: (amount: string) => `its total is more than ${amount}`,
      items: (count: string) => `it has fewer than ${count} pieces`,
    },

    refused: {
      name: "A rule needs a name of 1 to 40 visible characters. Nothing was changed.",
      exists: "There is a rule of that name. Nothing was changed. Remove it first with `/alerts route remove`.",
      full: "There are 25 rules already, which is the most. Nothing was changed. Remove one first.",
      statuses:
        "The rules wait for 5 statuses already, which is the most. Nothing was changed. Use one of those, or remove a rule.",
      status:
        "A rule waits for one status. Nothing was changed. Choose one of the list, and make a rule for each other.",
      product: "The store has no product of that title. Nothing was changed. Choose one of the list.",
      amount: "That is not an amount: one looks like `100` or `1,234.56`. Nothing was changed.",
      reversed: "The smallest total is more than the largest. Nothing was changed. Swap `from` and `to`.",
      items: "The number of pieces is a whole number, 1 or more. Nothing was changed.",
      position: "A place is a whole number from 1 to 25. Nothing was changed.",
      unknown: "There is no rule of that name. Nothing was changed. Choose one of the list.",
    },
  },
  "pt-BR": {
    bought: (items) => `Alguém comprou ${items}`,
    boughtSomething: "Alguém comprou algo",
    orders: (status, count) =>
      `${status}: ${plural("pt-BR", count, { one: `${count} pedido`, other: `${count} pedidos` })}`,
    stranded: (rule, channel) => `${rule}: não dá para publicar em ${channel}. Avisa aqui até que isso seja resolvido.`,

    title: "Regras",
    none: (channel) => `Não há regras: todo aviso vai para ${channel}. Crie uma com **/avisos rota adicionar**.`,
    noneOff: "Não há regras, e os avisos estão desativados. Ative-os com **/avisos definir**.",
    otherwise: (channel) => `Nos outros casos, os avisos vão para ${channel}.`,
    off: "Os avisos estão desativados, então estas regras não fazem nada. Ative os avisos com **/avisos definir**.",
    order:
      "Das regras de aviso vale a primeira que se aplica; cada linha pública que se aplica é publicada também. Cada pedido passa uma vez por cada regra.",

    style: { staff: "aviso", feed: "linha pública" },
    newOrders: "novos pedidos",
    entering: (status) => `pedidos que entram em ${status}`,
    product: (title) => `com ${title}`,
    category: (name) => `da categoria de ${name}`,
    method: (text) => `pagos com “${text}”`,
    from: (amount) => `${amount} ou mais`,
    to: (amount) => `${amount} ou menos`,
    items: (count) => `${count} unidades ou mais`,
    amount: "com o total",

    added: (rule) => `A regra **${rule}** está definida. Ela vale a partir de agora.`,
    moved: (rule, place, of) => `A regra **${rule}** agora é a número ${place} de ${of}.`,
    removed: (rule) => `A regra **${rule}** foi apagada.`,
    noEveryone: "O bot nunca menciona @everyone, então esta regra não menciona nenhum cargo.",
    noCustomers: (channel) =>
      `Os avisos em ${channel} não mostram o cliente: para isso é preciso um canal que com certeza nem todos podem ler.`,
    onlySome: (channel) => `Nem todos neste servidor podem ler ${channel}: os outros não veem essas linhas.`,

    testTitle: (id, status) => `O pedido ${id}, se chegasse agora no status ${status}`,
    fits: "aplica-se",
    goesBy: (channel, rule) => `O aviso vai para ${channel}, pela regra **${rule}**.`,
    goesTo: (channel) => `O aviso vai para ${channel}: nenhuma regra de aviso se aplica.`,
    feeds: (channels) => `Linhas públicas: ${channels}.`,
    noFeeds: "Linhas públicas: nenhuma.",
    lacks: {
      status: (status) => `o status dele não é ${status}`,
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
      exists: "Já existe uma regra com esse nome. Nada foi alterado. Remova-a antes com `/avisos rota remover`.",
      full: "Já há 25 regras, que é o máximo. Nada foi alterado. Remova uma antes.",
      statuses:
        "As regras já esperam por 5 status, que é o máximo. Nada foi alterado. Use um desses ou remova uma regra.",
      status:
        "Uma regra espera por um só status. Nada foi alterado. Escolha um da lista e crie outra regra para cada um dos outros.",
      product: "A loja não tem nenhum produto com esse título. Nada foi alterado. Escolha um da lista.",
      amount: "Isso não é um valor: um valor se parece com `100` ou `1.234,56`. Nada foi alterado.",
      reversed: "O menor total é maior que o maior. Nada foi alterado. Troque `de` e `até`.",
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
    stranded: (rule, channel) => `${rule}: no se puede publicar en ${channel}. Avisa aquí hasta que eso se arregle.`,

    title: "Reglas",
    none: (channel) => `No hay reglas: todos los avisos van a ${channel}. Crea una con **/avisos ruta agregar**.`,
    noneOff: "No hay reglas, y los avisos están desactivados. Actívalos con **/avisos activar**.",
    otherwise: (channel) => `En los demás casos, los avisos van a ${channel}.`,
    off: "Los avisos están desactivados, así que estas reglas no hacen nada. Activa los avisos con **/avisos activar**.",
    order:
      "De las reglas de aviso vale la primera que se cumple; cada línea pública que se cumple se publica también. Cada pedido pasa una vez por cada regla.",

    style: { staff: "aviso", feed: "línea pública" },
    newOrders: "pedidos nuevos",
    entering: (status) => `pedidos que entran en ${status}`,
    product: (title) => `con ${title}`,
    category: (name) => `de la categoría de ${name}`,
    method: (text) => `pagados con “${text}”`,
    from: (amount) => `${amount} o más`,
    to: (amount) => `${amount} o menos`,
    items: (count) => `${count} unidades o más`,
    amount: "con el total",

    added: (rule) => `La regla **${rule}** está definida. Vale a partir de ahora.`,
    moved: (rule, place, of) => `La regla **${rule}** es ahora la número ${place} de ${of}.`,
    removed: (rule) => `La regla **${rule}** se borró.`,
    noEveryone: "El bot nunca menciona @everyone, así que esta regla no menciona ningún rol.",
    noCustomers: (channel) =>
      `Los avisos en ${channel} no muestran al cliente: para eso hace falta un canal del que se sepa que no todos pueden leerlo.`,
    onlySome: (channel) => `No todos en este servidor pueden leer ${channel}: los demás no ven estas líneas.`,

    testTitle: (id, status) => `El pedido ${id}, si llegara ahora en el estado ${status}`,
    fits: "se cumple",
    goesBy: (channel, rule) => `El aviso va a ${channel}, por la regla **${rule}**.`,
    goesTo: (channel) => `El aviso va a ${channel}: no se cumple ninguna regla de aviso.`,
    feeds: (channels) => `Líneas públicas: ${channels}.`,
    noFeeds: "Líneas públicas: ninguna.",
    lacks: {
      status: (status) => `su estado no es ${status}`,
      product: (title) => `no lleva ${title}`,
      category: (name) => `no lleva nada de la categoría de ${name}`,
      unknownCategory: "la tienda no dijo de qué categoría son sus productos",
      method: (text) => `su método de pago no contiene “${text}”`,
      from: (amount) => `su total es menor que ${amount}`,
      to: (amount) => `su total es mayor que ${amount}`,
      items: (count) => `lleva menos de ${count} unidades`,
    },

    refused: {
      name: "Una regla necesita un nombre de 1 a 40 caracteres visibles. No se cambió nada.",
      exists: "Ya hay una regla con ese nombre. No se cambió nada. Quítala antes con `/avisos ruta quitar`.",
      full: "Ya hay 25 reglas, que es el máximo. No se cambió nada. Quita una antes.",
      statuses:
        "Las reglas ya esperan 5 estados, que es el máximo. No se cambió nada. Usa uno de esos o quita una regla.",
      status:
        "Una regla espera un solo estado. No se cambió nada. Elige uno de la lista y crea otra regla para cada uno de los demás.",
      product: "La tienda no tiene ningún producto con ese título. No se cambió nada. Elige uno de la lista.",
      amount: "Eso no es un importe: un importe es como `100` o `1.234,56`. No se cambió nada.",
      reversed: "El total más bajo es mayor que el más alto. No se cambió nada. Intercambia `desde` y `hasta`.",
      items: "Las unidades son un número entero, 1 o más. No se cambió nada.",
      position: "Un lugar es un número entero de 1 a 25. No se cambió nada.",
      unknown: "No hay ninguna regla con ese nombre. No se cambió nada. Elige una de la lista.",
    },
  },
});
