import { defineTexts } from "./define-texts.ts";

/** Files of orders and products. */
export const exports = defineTexts({
  en: {
    today: "Today",
    yesterday: "Yesterday",
    daysAgo: (days: string) => `${days} days ago`,
    thisMonth: "First of this month",
    lastMonthBegan: "First of last month",
    lastMonthEnded: "Last of last month",
    reading: { orders: "Reading orders", products: "Reading products" },
    waiting: "Waiting for the store.",
    /** `written`: in the file so far. */
    progress: (read: string, about: string, written: string) =>
      `${read} of about ${about} read · ${written} in the file`,
    minutesLeft: (minutes: string) => `About ${minutes} min left.`,
    almostThere: "Less than a minute left.",
    tooMuch: {
      orders:
        "That is more than can be read in the time that Discord gives (14 minutes): the file will end early. Press **Cancel** and choose days with `from` and `to` for a whole one.",
      products: "That is more than can be read in the time that Discord gives (14 minutes): the file will end early.",
    },
    done: {
      orders: (count: string) => `Orders in the file: **${count}**`,
      products: (count: string) => `Products in the file: **${count}**`,
    },
    doneInParts: {
      orders: (count: string, files: string) => `Orders in ${files} files: **${count}**`,
      products: (count: string, files: string) => `Products in ${files} files: **${count}**`,
    },
    form: "Times are UTC, amounts have a decimal point, and cells are divided by commas.",
    part: (number: string) => `Part ${number}`,
    none: { orders: "No orders found, so there is no file.", products: "No products found, so there is no file." },
    customersHidden:
      "Without customers, for this server's privacy setting hides them. With Manage Server you get them.",
    customersMasked:
      "Customers are partly hidden, by this server's privacy setting. With Manage Server you get them in full.",
    undated: (count: string) => `Left out, for the store names no date of them: ${count}.`,
    uncertain:
      "The list changed faster than it could be read, so some may be missing. Run the command again to be sure.",
    late: (read: string, about: string) =>
      `Discord's 15 minutes were over: the file ends early, ${read} of about ${about} were read.`,
    chooseDays: "Choose days with `from` and `to` for the rest.",
    ending: (read: string, about: string) =>
      `The bot was stopped meanwhile: the file ends early, ${read} of about ${about} were read. Run the command again in a minute.`,
    broke: (read: string, about: string) =>
      `The store gave no more: the file ends early, ${read} of about ${about} were read.`,
    cancelled: {
      orders:
        "The export has ended: nothing more is read or sent, and nothing was changed in the store. For a file, run `/export orders` again.",
      products:
        "The export has ended: nothing more is read or sent, and nothing was changed in the store. For a file, run `/export products` again.",
      stats:
        "The reading has ended: nothing more is read, and nothing was changed in the store. For the figures, run `/stats` again.",
    },
  },
  "pt-BR": {
    today: "Hoje",
    yesterday: "Ontem",
    daysAgo: (days) => `Há ${days} dias`,
    thisMonth: "Primeiro dia deste mês",
    lastMonthBegan: "Primeiro dia do mês passado",
    lastMonthEnded: "Último dia do mês passado",
    reading: { orders: "Lendo pedidos", products: "Lendo produtos" },
    waiting: "Esperando a loja.",
    progress: (read, about, written) => `${read} de cerca de ${about} lidos · ${written} no arquivo`,
    minutesLeft: (minutes) => `Faltam cerca de ${minutes} min.`,
    almostThere: "Falta menos de um minuto.",
    tooMuch: {
      orders:
        "É mais do que dá para ler no tempo que o Discord permite (14 minutos): o arquivo vai terminar antes do fim. Para um arquivo completo, toque em **Cancelar** e escolha dias com `de` e `até`.",
      products:
        "É mais do que dá para ler no tempo que o Discord permite (14 minutos): o arquivo vai terminar antes do fim.",
    },
    done: {
      orders: (count) => `Pedidos no arquivo: **${count}**`,
      products: (count) => `Produtos no arquivo: **${count}**`,
    },
    doneInParts: {
      orders: (count, files) => `Pedidos em ${files} arquivos: **${count}**`,
      products: (count, files) => `Produtos em ${files} arquivos: **${count}**`,
    },
    form: "Os horários são UTC, os valores têm ponto decimal e as células são separadas por vírgula.",
    part: (number) => `Parte ${number}`,
    none: {
      orders: "Nenhum pedido encontrado, então não há arquivo.",
      products: "Nenhum produto encontrado, então não há arquivo.",
    },
    customersHidden:
      "Sem clientes, pois a privacidade deste servidor os oculta. Com a permissão Gerenciar servidor, eles aparecem.",
    customersMasked:
      "Os clientes estão parcialmente ocultos pela privacidade deste servidor. Com a permissão Gerenciar servidor, aparecem completos.",
    undated: (count) => `Deixados de fora, pois a loja não informa a data: ${count}.`,
    uncertain:
      "A lista mudou mais rápido do que foi possível ler, então pode faltar algo. Use o comando de novo para ter certeza.",
    late: (read, about) =>
      `Os 15 minutos do Discord acabaram: o arquivo termina antes do fim, ${read} de cerca de ${about} foram lidos.`,
    chooseDays: "Para o resto, escolha dias com `de` e `até`.",
    ending: (read, about) =>
      `O bot foi encerrado nesse meio-tempo: o arquivo termina antes do fim, ${read} de cerca de ${about} foram lidos. Use o comando de novo em um minuto.`,
    broke: (read, about) =>
      `A loja parou de responder: o arquivo termina antes do fim, ${read} de cerca de ${about} foram lidos.`,
    cancelled: {
      orders:
        "A exportação terminou: nada mais é lido nem enviado, e nada mudou na loja. Para um arquivo, use `/exportar pedidos` de novo.",
      products:
        "A exportação terminou: nada mais é lido nem enviado, e nada mudou na loja. Para um arquivo, use `/exportar produtos` de novo.",
      stats:
        "A leitura terminou: nada mais é lido, e nada mudou na loja. Para os números, use `/estatísticas` de novo.",
    },
  },
  es: {
    today: "Hoy",
    yesterday: "Ayer",
    daysAgo: (days) => `Hace ${days} días`,
    thisMonth: "Primer día de este mes",
    lastMonthBegan: "Primer día del mes pasado",
    lastMonthEnded: "Último día del mes pasado",
    reading: { orders: "Leyendo pedidos", products: "Leyendo productos" },
    waiting: "Esperando a la tienda.",
    progress: (read, about, written) => `${read} de unos ${about} leídos · ${written} en el archivo`,
    minutesLeft: (minutes) => `Faltan unos ${minutes} min.`,
    almostThere: "Falta menos de un minuto.",
    tooMuch: {
      orders:
        "Es más de lo que se puede leer en el tiempo que da Discord (14 minutos): el archivo terminará antes del final. Para uno completo, pulsa **Cancelar** y elige días con `desde` y `hasta`.",
      products:
        "Es más de lo que se puede leer en el tiempo que da Discord (14 minutos): el archivo terminará antes del final.",
    },
    done: {
      orders: (count) => `Pedidos en el archivo: **${count}**`,
      products: (count) => `Productos en el archivo: **${count}**`,
    },
    doneInParts: {
      orders: (count, files) => `Pedidos en ${files} archivos: **${count}**`,
      products: (count, files) => `Productos en ${files} archivos: **${count}**`,
    },
    form: "Las horas son UTC, los montos llevan punto decimal y las celdas se separan con comas.",
    part: (number) => `Parte ${number}`,
    none: {
      orders: "No se encontraron pedidos, así que no hay archivo.",
      products: "No se encontraron productos, así que no hay archivo.",
    },
    customersHidden:
      "Sin clientes, porque la privacidad de este servidor los oculta. Con el permiso Gestionar servidor aparecen.",
    customersMasked:
      "Los clientes están ocultos en parte por la privacidad de este servidor. Con el permiso Gestionar servidor aparecen completos.",
    undated: (count) => `Excluidos, porque la tienda no da su fecha: ${count}.`,
    uncertain:
      "La lista cambió más rápido de lo que se pudo leer, así que puede faltar algo. Usa el comando de nuevo para estar seguro.",
    late: (read, about) =>
      `Se acabaron los 15 minutos de Discord: el archivo termina antes del final, se leyeron ${read} de unos ${about}.`,
    chooseDays: "Para el resto, elige días con `desde` y `hasta`.",
    ending: (read, about) =>
      `El bot se detuvo mientras tanto: el archivo termina antes del final, se leyeron ${read} de unos ${about}. Usa el comando de nuevo en un minuto.`,
    broke: (read, about) =>
      `La tienda no dio más: el archivo termina antes del final, se leyeron ${read} de unos ${about}.`,
    cancelled: {
      orders:
        "La exportación terminó: no se lee ni se envía nada más, y no se cambió nada en la tienda. Para un archivo, usa `/exportar pedidos` de nuevo.",
      products:
        "La exportación terminó: no se lee ni se envía nada más, y no se cambió nada en la tienda. Para un archivo, usa `/exportar productos` de nuevo.",
      stats:
        "La lectura terminó: no se lee nada más, y no se cambió nada en la tienda. Para las cifras, usa `/estadísticas` de nuevo.",
    },
  },
});
