import { defineTexts, plural } from "./define-texts.ts";

/** Products out of a file. Counts come in as they are shown; `count` beside them chooses the form. */
export const imports = defineTexts({
  en: {
    faulty: (count: number, shown: string) =>
      plural("en", count, {
        one: "There is 1 mistake in the file, so **nothing was created**. Correct it and send the file again.",
        other: `There are ${shown} mistakes in the file, so **nothing was created**. Correct them and send the file again.`,
      }),
    allFaults: "The file below lists all of them.",
    /** `column` is as it is called in the file. */
    fault: (row: string, column: string, what: string) => `Row ${row}, \`${column}\`: ${what}`,
    faultOfRow: (row: string, what: string) => `Row ${row}: ${what}`,
    faults: {
      bad_title: "the title is missing or cannot be read",
      bad_price: "not a price: it has to be a number from 0 to 1,000,000,000,000, such as 49.90",
      bad_category: "not the ID of a category, as the file from /export products has it",
      bad_picture: "not links to pictures: up to ten that begin with https:// or http://, separated by spaces",
      bad_type: "has to be DEFAULT",
      too_long: "too long: a title can have 256 characters, a description 4,000",
      more_cells: "more cells than there are columns",
    },
    preview: (count: number, shown: string) =>
      plural("en", count, {
        one: "**Preview** · 1 product in the file, nothing has been created yet",
        other: `**Preview** · ${shown} products in the file, nothing has been created yet`,
      }),
    before: (count: number, shown: string) =>
      plural("en", count, {
        one: "1 of them was created by an import in the last 30 days, and will be left out. For another one like it, use **Copy** in `/products`.",
        other: `${shown} of them were created by an import in the last 30 days, and will be left out. For more like them, use **Copy** in \`/products\`.`,
      }),
    allBefore: "There is nothing left to create.",
    sentBefore: (count: number, shown: string) =>
      plural("en", count, {
        one: "⚠️ 1 of them was already sent to the store, which did not confirm it. **Create** looks for it in the store first, and sends it again only if it is not there.",
        other: `⚠️ ${shown} of them were already sent to the store, which did not confirm them. **Create** looks for them in the store first, and sends again only what is not there.`,
      }),
    understood: (row: string, typed: string, amount: string) =>
      `⚠️ Row ${row}: ${typed} was understood as **${amount}**.`,
    unknownColumns: (columns: string) => `⚠️ Unknown columns, left out: ${columns}`,
    noStock: "-# Products are created without stock, because these files do not contain it. Add it in the store.",
    row: (row: string) => `Row ${row}`,
    pictures: (count: number, shown: string) => plural("en", count, { one: "1 picture", other: `${shown} pictures` }),
    create: (count: number, shown: string) =>
      plural("en", count, { one: "Create 1 product", other: `Create ${shown} products` }),
    createRest: (count: number, shown: string) =>
      plural("en", count, { one: "Create the remaining 1", other: `Create the remaining ${shown}` }),
    createRemaining: "Create the remaining",
    running: "Creating products",
    progress: (done: string, all: string) => `${done} of ${all} created`,
    refused: (count: number, shown: string) =>
      plural("en", count, { one: "Refused by the store: **1**", other: `Refused by the store: **${shown}**` }),
    unclear: (count: number, shown: string) =>
      plural("en", count, {
        one: "⚠️ 1 was sent, but the store did not confirm it, and it is **not in the store yet**. Wait a minute, then press **Create the remaining**: that looks for it again, and sends it again only if it is not there.",
        other: `⚠️ ${shown} were sent, but the store did not confirm them, and they are **not in the store yet**. Wait a minute, then press **Create the remaining**: that looks for them again, and sends again only what is not there.`,
      }),
    minutesLeft: (minutes: string) => `About ${minutes} min left.`,
    almostThere: "Less than a minute left.",
    ifCut:
      "-# If nothing moves here because the bot was restarted, wait half a minute, then press **Cancel** or send the same file again: the import continues, and nothing is created twice.",
    done: (count: number, shown: string) =>
      plural("en", count, { one: "Products created: **1**", other: `Products created: **${shown}**` }),
    leftOut: (shown: string) => `Created by an earlier import, left out: ${shown}`,
    open: (shown: string) => `Not sent: **${shown}**`,
    cancelled: "The import was cancelled. What was created stays.",
    late: "Discord's 15 minutes ran out.",
    ending: "The bot was stopped meanwhile. You can continue in a minute.",
    gaveOut: "The import stopped:",
    tooUnclear: "The import stopped, because the store did not confirm several products in a row.",
    goOn: "To continue, press **Create the remaining**, or send the same file again within 30 days. Nothing is created twice.",
    stopping:
      "The import is stopping. What was created stays; the import's message will soon show the result for each product. If it does not change, the bot was restarted: press **Cancel** again in half a minute.",
    over: "That import is no longer running: it has ended, or the bot was restarted. What was created stays. To continue, press **Create the remaining**, or send the same file again within 30 days. Nothing is created twice.",
    discarded: "Cancelled. Nothing was created.",
    file: {
      row: "row",
      column: "column",
      problem: "problem",
      title: "title",
      result: "result",
      created: "created",
      before: "created before",
      refused: "refused",
      unclear: "not confirmed",
      open: "not sent",
    },
  },
  "pt-BR": {
    faulty: (count, shown) =>
      plural("pt-BR", count, {
        one: "Há um erro no arquivo, por isso **nada foi criado**. Corrija e envie o arquivo de novo.",
        other: `Há ${shown} erros no arquivo, por isso **nada foi criado**. Corrija e envie o arquivo de novo.`,
      }),
    allFaults: "O arquivo abaixo lista todos.",
    fault: (row, column, what) => `Linha ${row}, \`${column}\`: ${what}`,
    faultOfRow: (row, what) => `Linha ${row}: ${what}`,
    faults: {
      bad_title: "o título falta ou não é legível",
      bad_price: "não é um preço: precisa ser um número de 0 a 1.000.000.000.000, como 49,90",
      bad_category: "não é o ID de uma categoria, como o arquivo de /exportar produtos traz",
      bad_picture: "não são links de imagens: até dez que comecem com https:// ou http://, separados por espaço",
      bad_type: "precisa ser DEFAULT",
      too_long: "longo demais: um título pode ter 256 caracteres, uma descrição 4.000",
      more_cells: "mais células do que colunas",
    },
    preview: (count, shown) =>
      plural("pt-BR", count, {
        one: `**Prévia** · ${shown} produto no arquivo, nada foi criado ainda`,
        other: `**Prévia** · ${shown} produtos no arquivo, nada foi criado ainda`,
      }),
    before: (count, shown) =>
      plural("pt-BR", count, {
        one: `${shown} deles foi criado por uma importação nos últimos 30 dias e fica de fora. Para outro igual, use **Copiar** em \`/produtos\`.`,
        other: `${shown} deles foram criados por uma importação nos últimos 30 dias e ficam de fora. Para outros iguais, use **Copiar** em \`/produtos\`.`,
      }),
    allBefore: "Não há mais nada para criar.",
    sentBefore: (count, shown) =>
      plural("pt-BR", count, {
        one: `⚠️ ${shown} deles já foi enviado à loja, que não confirmou. **Criar** procura primeiro na loja e só envia de novo se ele não estiver lá.`,
        other: `⚠️ ${shown} deles já foram enviados à loja, que não confirmou. **Criar** procura primeiro na loja e só envia de novo o que não estiver lá.`,
      }),
    understood: (row, typed, amount) => `⚠️ Linha ${row}: ${typed} foi entendido como **${amount}**.`,
    unknownColumns: (columns) => `⚠️ Colunas desconhecidas, deixadas de fora: ${columns}`,
    noStock: "-# Os produtos são criados sem estoque, porque estes arquivos não o contêm. Adicione o estoque na loja.",
    row: (row) => `Linha ${row}`,
    pictures: (count, shown) => plural("pt-BR", count, { one: `${shown} imagem`, other: `${shown} imagens` }),
    create: (count, shown) =>
      plural("pt-BR", count, { one: `Criar ${shown} produto`, other: `Criar ${shown} produtos` }),
    createRest: (count, shown) =>
      plural("pt-BR", count, { one: `Criar o restante (${shown})`, other: `Criar os restantes (${shown})` }),
    createRemaining: "Criar os restantes",
    running: "Criando produtos",
    progress: (done, all) => `${done} de ${all} criados`,
    refused: (count, shown) =>
      plural("pt-BR", count, { one: `Recusado pela loja: **${shown}**`, other: `Recusados pela loja: **${shown}**` }),
    unclear: (count, shown) =>
      plural("pt-BR", count, {
        one: `⚠️ ${shown} foi enviado, mas a loja não confirmou, e ele **ainda não está na loja**. Espere um minuto e clique em **Criar o restante**: o bot procura de novo e só envia outra vez se ele não estiver lá.`,
        other: `⚠️ ${shown} foram enviados, mas a loja não confirmou, e eles **ainda não estão na loja**. Espere um minuto e clique em **Criar os restantes**: o bot procura de novo e só envia outra vez o que não estiver lá.`,
      }),
    minutesLeft: (minutes) => `Faltam cerca de ${minutes} min.`,
    almostThere: "Falta menos de um minuto.",
    ifCut:
      "-# Se nada mudar aqui porque o bot foi reiniciado, espere meio minuto e clique em **Cancelar** ou envie o mesmo arquivo de novo: a importação continua, e nada é criado duas vezes.",
    done: (count, shown) =>
      plural("pt-BR", count, { one: `Produtos criados: **${shown}**`, other: `Produtos criados: **${shown}**` }),
    leftOut: (shown) => `Criados por uma importação anterior, deixados de fora: ${shown}`,
    open: (shown) => `Não enviados: **${shown}**`,
    cancelled: "A importação foi cancelada. O que foi criado continua na loja.",
    late: "Os 15 minutos do Discord acabaram.",
    ending: "O bot foi encerrado nesse meio-tempo. Você pode continuar em um minuto.",
    gaveOut: "A importação parou:",
    tooUnclear: "A importação parou, porque a loja deixou de confirmar vários produtos seguidos.",
    goOn: "Para continuar, clique em **Criar os restantes** ou envie o mesmo arquivo de novo em até 30 dias. Nada é criado duas vezes.",
    stopping:
      "A importação está parando. O que foi criado continua na loja; a mensagem da importação mostrará em breve o resultado de cada produto. Se ela não mudar, o bot foi reiniciado: clique em **Cancelar** de novo em meio minuto.",
    over: "Essa importação não está mais em andamento: ela terminou ou o bot foi reiniciado. O que foi criado continua na loja. Para continuar, clique em **Criar os restantes** ou envie o mesmo arquivo de novo em até 30 dias. Nada é criado duas vezes.",
    discarded: "Cancelado. Nada foi criado.",
    file: {
      row: "linha",
      column: "coluna",
      problem: "problema",
      title: "título",
      result: "resultado",
      created: "criado",
      before: "criado antes",
      refused: "recusado",
      unclear: "não confirmado",
      open: "não enviado",
    },
  },
  es: {
    faulty: (count, shown) =>
      plural("es", count, {
        one: "Hay un error en el archivo, así que **no se creó nada**. Corrígelo y envía el archivo de nuevo.",
        other: `Hay ${shown} errores en el archivo, así que **no se creó nada**. Corrígelos y envía el archivo de nuevo.`,
      }),
    allFaults: "El archivo de abajo los muestra todos.",
    fault: (row, column, what) => `Fila ${row}, \`${column}\`: ${what}`,
    faultOfRow: (row, what) => `Fila ${row}: ${what}`,
    faults: {
      bad_title: "falta el título o no es legible",
      bad_price: "no es un precio: debe ser un número de 0 a 1 000 000 000 000, como 49,90",
      bad_category: "no es el ID de una categoría, como lo trae el archivo de /exportar productos",
      bad_picture: "no son enlaces a imágenes: hasta diez que empiecen con https:// o http://, separados por espacios",
      bad_type: "debe ser DEFAULT",
      too_long: "demasiado largo: un título puede tener 256 caracteres, una descripción 4000",
      more_cells: "más celdas que columnas",
    },
    preview: (count, shown) =>
      plural("es", count, {
        one: "**Vista previa** · 1 producto en el archivo, todavía no se creó nada",
        other: `**Vista previa** · ${shown} productos en el archivo, todavía no se creó nada`,
      }),
    before: (count, shown) =>
      plural("es", count, {
        one: "Una importación de los últimos 30 días ya creó 1 de ellos, que queda excluido. Para otro igual, usa **Copiar** en `/productos`.",
        other: `Una importación de los últimos 30 días ya creó ${shown} de ellos, que quedan excluidos. Para otros iguales, usa **Copiar** en \`/productos\`.`,
      }),
    allBefore: "No queda nada por crear.",
    sentBefore: (count, shown) =>
      plural("es", count, {
        one: "⚠️ 1 de ellos ya se envió a la tienda, que no confirmó. **Crear** lo busca primero en la tienda y solo lo envía de nuevo si no está.",
        other: `⚠️ ${shown} de ellos ya se enviaron a la tienda, que no confirmó. **Crear** los busca primero en la tienda y solo envía de nuevo lo que no está.`,
      }),
    understood: (row, typed, amount) => `⚠️ Fila ${row}: ${typed} se entendió como **${amount}**.`,
    unknownColumns: (columns) => `⚠️ Columnas desconocidas, excluidas: ${columns}`,
    noStock: "-# Los productos se crean sin stock, porque estos archivos no lo contienen. Agrégalo en la tienda.",
    row: (row) => `Fila ${row}`,
    pictures: (count, shown) => plural("es", count, { one: "1 imagen", other: `${shown} imágenes` }),
    create: (count, shown) => plural("es", count, { one: "Crear 1 producto", other: `Crear ${shown} productos` }),
    createRest: (count, shown) =>
      plural("es", count, { one: "Crear el restante (1)", other: `Crear los restantes (${shown})` }),
    createRemaining: "Crear los restantes",
    running: "Creando productos",
    progress: (done, all) => `${done} de ${all} creados`,
    refused: (count, shown) =>
      plural("es", count, {
        one: "Rechazado por la tienda: **1**",
        other: `Rechazados por la tienda: **${shown}**`,
      }),
    unclear: (count, shown) =>
      plural("es", count, {
        one: "⚠️ Se envió 1, pero la tienda no confirmó, y **todavía no está en la tienda**. Espera un minuto y presiona **Crear el restante**: el bot lo busca otra vez y solo lo envía de nuevo si no está.",
        other: `⚠️ Se enviaron ${shown}, pero la tienda no confirmó, y **todavía no están en la tienda**. Espera un minuto y presiona **Crear los restantes**: el bot los busca otra vez y solo envía de nuevo lo que no está.`,
      }),
    minutesLeft: (minutes) => `Faltan unos ${minutes} min.`,
    almostThere: "Falta menos de un minuto.",
    ifCut:
      "-# Si aquí no cambia nada porque el bot se reinició, espera medio minuto y presiona **Cancelar** o envía el mismo archivo de nuevo: la importación continúa, y nada se crea dos veces.",
    done: (count, shown) =>
      plural("es", count, { one: "Productos creados: **1**", other: `Productos creados: **${shown}**` }),
    leftOut: (shown) => `Creados por una importación anterior, excluidos: ${shown}`,
    open: (shown) => `No enviados: **${shown}**`,
    cancelled: "La importación se canceló. Lo que ya se creó sigue en la tienda.",
    late: "Se acabaron los 15 minutos de Discord.",
    ending: "El bot se detuvo mientras tanto. Puedes continuar en un minuto.",
    gaveOut: "La importación se detuvo:",
    tooUnclear: "La importación se detuvo, porque la tienda no confirmó varios productos seguidos.",
    goOn: "Para continuar, presiona **Crear los restantes** o envía el mismo archivo de nuevo antes de 30 días. Nada se crea dos veces.",
    stopping:
      "La importación se está deteniendo. Lo que ya se creó sigue en la tienda; el mensaje de la importación mostrará pronto el resultado de cada producto. Si no cambia, el bot se reinició: presiona **Cancelar** otra vez en medio minuto.",
    over: "Esa importación ya no está en curso: terminó o el bot se reinició. Lo que ya se creó sigue en la tienda. Para continuar, presiona **Crear los restantes** o envía el mismo archivo de nuevo antes de 30 días. Nada se crea dos veces.",
    discarded: "Cancelado. No se creó nada.",
    file: {
      row: "fila",
      column: "columna",
      problem: "problema",
      title: "título",
      result: "resultado",
      created: "creado",
      before: "creado antes",
      refused: "rechazado",
      unclear: "sin confirmar",
      open: "no enviado",
    },
  },
});
