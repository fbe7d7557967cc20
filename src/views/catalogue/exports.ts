import { defineTexts } from "./define-texts.ts";

/** Files of orders and products. */
export const exports = defineTexts({
  en: {
    today: "Today",
    yesterday: "Yesterday",
    daysAgo: (days: string) => `${days} days ago`,
    thisMonth: "First day of this month",
    lastMonthBegan: "First day of last month",
    lastMonthEnded: "Last day of last month",
    reading: { orders: "Reading orders", products: "Reading products" },
    waiting: "Waiting for the store.",
    /** `written`: in the file so far. */
    progress: (read: string, about: string, written: string) =>
      `${read} of about ${about} read · ${written} in the file`,
    minutesLeft: (minutes: string) => `About ${minutes} min left.`,
    almostThere: "Less than a minute left.",
    tooMuch: {
      orders:
        "There are more orders than can be read in the 14 minutes that Discord allows, so the file will be incomplete. For a complete one, press **Cancel** and choose days with `from` and `to`.",
      products:
        "There are more products than can be read in the 14 minutes that Discord allows, so the file will be incomplete.",
    },
    done: {
      orders: (count: string) => `Orders in the file: **${count}**`,
      products: (count: string) => `Products in the file: **${count}**`,
    },
    doneInParts: {
      orders: (count: string, files: string) => `Orders in ${files} files: **${count}**`,
      products: (count: string, files: string) => `Products in ${files} files: **${count}**`,
    },
    days: (zone: string) => `Days in the time zone ${zone}.`,
    form: "Times are in UTC, decimals use a point, and columns are separated by commas.",
    part: (number: string) => `Part ${number}`,
    none: { orders: "No orders found, so there is no file.", products: "No products found, so there is no file." },
    customersHidden:
      "Customers are left out because of this server's privacy setting. Members with Manage Server get them.",
    customersMasked:
      "Customers are partly hidden because of this server's privacy setting. Members with Manage Server get them in full.",
    undated: (count: string) => `Left out, because the store gives no date for them: ${count}.`,
    uncertain:
      "The list changed faster than it could be read, so some entries may be missing. Run the command again to be sure.",
    late: (read: string, about: string) =>
      `Discord's 15 minutes ran out, so the file is incomplete: ${read} of about ${about} were read.`,
    chooseDays: "For the rest, choose days with `from` and `to`.",
    ending: (read: string, about: string) =>
      `The bot was stopped meanwhile, so the file is incomplete: ${read} of about ${about} were read. Run the command again in a minute.`,
    broke: (read: string, about: string) =>
      `The store stopped answering, so the file is incomplete: ${read} of about ${about} were read.`,
    cancelled: {
      orders: "Export cancelled. To get a file, run `/export orders` again.",
      products: "Export cancelled. To get a file, run `/export products` again.",
      stats: "Cancelled. To get the statistics, run `/stats` again.",
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
        "Há mais pedidos do que dá para ler nos 14 minutos que o Discord permite, então o arquivo ficará incompleto. Para um arquivo completo, clique em **Cancelar** e escolha dias com `de` e `até`.",
      products:
        "Há mais produtos do que dá para ler nos 14 minutos que o Discord permite, então o arquivo ficará incompleto.",
    },
    done: {
      orders: (count) => `Pedidos no arquivo: **${count}**`,
      products: (count) => `Produtos no arquivo: **${count}**`,
    },
    doneInParts: {
      orders: (count, files) => `Pedidos em ${files} arquivos: **${count}**`,
      products: (count, files) => `Produtos em ${files} arquivos: **${count}**`,
    },
    days: (zone) => `Dias no fuso horário ${zone}.`,
    form: "Os horários estão em UTC, os valores usam ponto decimal e as colunas são separadas por vírgula.",
    part: (number) => `Parte ${number}`,
    none: {
      orders: "Nenhum pedido encontrado, então não há arquivo.",
      products: "Nenhum produto encontrado, então não há arquivo.",
    },
    customersHidden:
      "O arquivo não tem clientes por causa da configuração de privacidade deste servidor. Com a permissão Gerenciar servidor, eles aparecem.",
    customersMasked:
      "Os clientes estão parcialmente ocultos por causa da configuração de privacidade deste servidor. Com a permissão Gerenciar servidor, aparecem completos.",
    undated: (count) => `Deixados de fora, porque a loja não informa a data: ${count}.`,
    uncertain:
      "A lista mudou mais rápido do que foi possível ler, então pode faltar algo. Para ter certeza, use o comando de novo.",
    late: (read, about) =>
      `Os 15 minutos do Discord acabaram, então o arquivo está incompleto: ${read} de cerca de ${about} foram lidos.`,
    chooseDays: "Para o resto, escolha dias com `de` e `até`.",
    ending: (read, about) =>
      `O bot foi encerrado nesse meio-tempo, então o arquivo está incompleto: ${read} de cerca de ${about} foram lidos. Use o comando de novo em um minuto.`,
    broke: (read, about) =>
      `A loja parou de responder, então o arquivo está incompleto: ${read} de cerca de ${about} foram lidos.`,
    cancelled: {
      orders: "Exportação cancelada. Para ter um arquivo, use `/exportar pedidos` de novo.",
      products: "Exportação cancelada. Para ter um arquivo, use `/exportar produtos` de novo.",
      stats: "Cancelado. Para ver as estatísticas, use `/estatísticas` de novo.",
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
        "Hay más pedidos de los que se pueden leer en los 14 minutos que permite Discord, así que el archivo quedará incompleto. Para uno completo, presiona **Cancelar** y elige días con `desde` y `hasta`.",
      products:
        "Hay más productos de los que se pueden leer en los 14 minutos que permite Discord, así que el archivo quedará incompleto.",
    },
    done: {
      orders: (count) => `Pedidos en el archivo: **${count}**`,
      products: (count) => `Productos en el archivo: **${count}**`,
    },
    doneInParts: {
      orders: (count, files) => `Pedidos en ${files} archivos: **${count}**`,
      products: (count, files) => `Productos en ${files} archivos: **${count}**`,
    },
    days: (zone) => `Días en la zona horaria ${zone}.`,
    form: "Las horas están en UTC, los importes usan punto decimal y las columnas se separan con comas.",
    part: (number) => `Parte ${number}`,
    none: {
      orders: "No se encontraron pedidos, así que no hay archivo.",
      products: "No se encontraron productos, así que no hay archivo.",
    },
    customersHidden:
      "El archivo no tiene clientes por el ajuste de privacidad de este servidor. Con el permiso Gestionar servidor aparecen.",
    customersMasked:
      "Los clientes están ocultos en parte por el ajuste de privacidad de este servidor. Con el permiso Gestionar servidor aparecen completos.",
    undated: (count) => `Excluidos, porque la tienda no indica su fecha: ${count}.`,
    uncertain:
      "La lista cambió más rápido de lo que se pudo leer, así que puede faltar algo. Para estar seguro, usa el comando de nuevo.",
    late: (read, about) =>
      `Se acabaron los 15 minutos de Discord, así que el archivo está incompleto: se leyeron ${read} de unos ${about}.`,
    chooseDays: "Para el resto, elige días con `desde` y `hasta`.",
    ending: (read, about) =>
      `El bot se detuvo mientras tanto, así que el archivo está incompleto: se leyeron ${read} de unos ${about}. Usa el comando de nuevo en un minuto.`,
    broke: (read, about) =>
      `La tienda dejó de responder, así que el archivo está incompleto: se leyeron ${read} de unos ${about}.`,
    cancelled: {
      orders: "Exportación cancelada. Para tener un archivo, usa `/exportar pedidos` de nuevo.",
      products: "Exportación cancelada. Para tener un archivo, usa `/exportar productos` de nuevo.",
      stats: "Cancelado. Para ver las estadísticas, usa `/estadísticas` de nuevo.",
    },
  },
});
