import { defineTexts, plural } from "./define-texts.ts";

/**
 * One message per code of `Problem`: what happened, whether anything was lost or changed, what to do next. Keys are the
 * codes themselves. Arguments come in harmless.
 */
export const problems = defineTexts({
  en: {
    unauthorized:
      "The store refused the API token, so nothing was read or changed. Connect a new one with `/store connect`; you get it in the store's administration panel under Settings, then Open API.",
    not_found: "The store has nothing under that ID. Nothing was changed. Check the ID, or look for it in the list.",
    invalid: "The store did not accept that, and nothing was changed. Check what you entered and try again.",
    invalid_because: (detail: string) =>
      `The store did not accept that, and nothing was changed. It says: “${detail}”. Correct it and try again.`,
    rate_limited: (seconds: number) =>
      `The store is getting too many requests and asked to wait. Nothing was changed. Try again in ${plural("en", seconds, { one: "1 second", other: `${seconds} seconds` })}.`,
    unavailable:
      "The store cannot be reached at the moment. Nothing was changed and nothing is lost. Try again in a few minutes.",
    timeout: "The store took too long to answer. Nothing was changed. Try again in a minute.",
    malformed:
      "The store's answer could not be understood, so it is not shown. Nothing was changed. If it stays that way, tell whoever runs this bot.",
    too_large:
      "The store's answer was too big to be read. Nothing was changed. Narrow the search, for example with a status or a title.",
    ambiguous:
      "The product was sent to the store, but no answer came: it may or may not be there. The bot does not send it again by itself. Look for the title with `/products` before you try again.",
    not_connected:
      "No store is connected to this server yet. Someone with the Manage Server permission can connect one with `/store connect`.",
    not_allowed: "Only people with the Manage Server permission, or with a role that they allow, can use this.",
    someone_elses: "Only the person who started this can use it. Run the command to start your own.",
    expired: "That has expired, and nothing was done. Run the command again.",
    unknown_action: "That is from an earlier version, and nothing was done. Run the command again.",
    guild_only: "This works only in a server, not in direct messages. Run the command in your store's server.",
    cooldown: (seconds: number) =>
      `Too fast. Nothing was done; try again in ${plural("en", seconds, { one: "1 second", other: `${seconds} seconds` })}.`,
    storage:
      "The bot cannot reach its own storage at the moment, so this was not done. What was saved before is not lost. Try again in a few minutes.",
    undecryptable:
      "The saved API token can no longer be read, most likely because the bot's secret key was changed. Your other settings are kept. Connect the store again with `/store connect`.",
    bad_email:
      "That is not an e-mail address: one looks like `name@example.com`. Nothing was looked up. Copy it from an order.",
    customers_hidden:
      "This server's privacy setting shows no customers, so only someone with the Manage Server permission can look up their orders. Nothing was read. Such a person can change that with `/store settings privacy`.",
    bad_uuid:
      "That is not an order ID: one looks like `3f2a91bc-5d0e-4c1a-9b7e-0123456789ab`. Nothing was looked up. Copy the ID from an alert or from `/orders`.",
    bad_token:
      "That cannot be an API token: it is empty or contains invalid characters. Nothing was saved. Copy it again in full and run `/store connect`.",
    bad_currency:
      "That is not a currency code: use the three letters of ISO 4217, such as `USD`, `BRL` or `EUR`. Nothing was changed.",
    bad_page: (lastPage: string) => `That is not a page of this list: type a number from 1 to ${lastPage}.`,
    bad_day: (today: string) =>
      `That is not a day. Nothing was read. Type year, month and day, such as \`${today}\`, or \`today\` or \`yesterday\`.`,
    days_reversed: "The first day is after the last one. Nothing was read. Swap `from` and `to`.",
    bad_reminder:
      "That is not when to remind. Nothing was changed. `after` is a time from 1 minute to 7 days, such as `30 minutes`, `2 hours` or `off`; `quiet` is two hours of the day, such as `22-8`; `timezone` is one of the list.",
    export_running:
      "An export of yours is under way. Nothing else was begun. Wait until it ends, or end it with **Cancel**.",
    exports_full: "Too many exports are under way at the moment. Nothing was begun. Try again in a few minutes.",
    import_broken: (line: string) =>
      `That is not a CSV file: at line ${line} it cannot be told where a cell ends. Nothing was created. Save it again as CSV (UTF-8) and send it again.`,
    import_columns: (columns: string) =>
      `The file has no column ${columns}. The first row names the columns, as in the file of \`/export products\`: at least \`title\`, \`price\` and \`categoryId\`, the ID of a category, which that file has of each product. Nothing was created.`,
    import_twice: (column: string) =>
      `The file has the column ${column} more than once. Nothing was created. Keep one of them and send the file again.`,
    import_empty: "The file has no products: there is nothing below its first row. Nothing was created.",
    import_long: "The file has too many rows: the limit is 1,000. Nothing was created. Divide it into several.",
    import_too_large: "The file is too big: the limit is 1 MiB. Nothing was created. Divide it into several.",
    import_not_text:
      "The file is not text in UTF-8. Nothing was created. Save it as **CSV UTF-8** in your spreadsheet and send it again.",
    import_unread: "The file could not be downloaded from Discord. Nothing was sent to the store. Send the file again.",
    import_changed:
      "The file is not what was shown any more, or its prices are understood differently by now. Nothing was sent to the store. Send the file again.",
    import_readings_full:
      "Other files are being read at the moment. Nothing was sent to the store. Try again in a moment.",
    full: "The bot keeps too much for everybody at the moment, so this could not be finished. What was saved before stays. Try again in an hour.",
    import_running:
      "Products are being imported in this server already. Nothing else was begun. Wait until that ends, or end it with **Cancel**; if the bot was restarted meanwhile, try again in half a minute.",
    imports_full: "Too many imports are under way at the moment. Nothing was begun. Try again in a few minutes.",
    stats_running:
      "Orders are being read already, for figures or a file. Nothing else was begun. Try again in a minute.",
    stats_late:
      "These are more orders than can be read in the time that Discord gives (14 minutes). Nothing was changed. Ask for a shorter period.",
    stats_ending:
      "The bot was stopped while it read the orders. Nothing was changed. Run the command again in a minute.",
    bad_zone:
      "That is no time zone. Nothing was changed. Type a city that has one, such as `America/Sao_Paulo` or `Europe/Lisbon`, and choose from the list.",
    bad_hour: "That is no hour. Nothing was changed. Type a whole number from 0 to 23.",
    digest_off: "No digests are posted, so there is nothing to end. `/digest set` begins with them.",
    channel_gone:
      "That channel is gone, or the bot cannot see it. Nothing was posted. Orders that were due there are kept: choose a channel with `/alerts set`.",
    forbidden:
      "The bot lacks permissions in that channel, so nothing was posted. Allow it to view the channel and to send messages there, then try again.",
    forbidden_without: (permissions: string) =>
      `The bot lacks permissions in that channel, so nothing was posted. Allow it: ${permissions}. Then try again.`,
    discord_down: "Discord did not take the message. Orders that are due are kept and posted as soon as it does.",
    public_not_theirs:
      "Everyone in this server can read that channel, and alerts there would show customers. Only someone with the Manage Server permission can decide that. Nothing was changed. Choose a channel that not everyone can read, or ask them.",
    customers_not_theirs:
      "Alerts show customers in this server, so only someone with the Manage Server permission can choose another channel for them. Nothing was changed. Ask them.",
    role_not_theirs:
      "You may not mention that role in that channel, so you cannot let the bot do it. Someone with the Manage Server permission can choose it, or let everyone mention the role. Nothing was changed.",
    channel_not_theirs:
      "You may not see that channel or not write in it, so you cannot let the bot do it. Nothing was changed. Choose a channel in which you may write, or ask someone with the Manage Server permission.",
    foreign_channel: "That channel is not one of this server. Nothing was changed. Choose one from the list.",
    foreign_role: "That role is not one of this server. Nothing was changed. Choose one from the list.",
    discord_silent:
      "Discord does not answer at the moment, so it is not known who can read that channel. Nothing was changed. Try again in a few minutes, or ask someone with the Manage Server permission.",
    bad_category: "That is not a category: choose one of the suggestions or paste its ID. Nothing was done.",
    bad_title: "A product needs a readable title. Nothing was created.",
    bad_picture:
      "That is not a link to a picture: one begins with `https://` or `http://`; separate several (up to ten) with spaces. Nothing was created.",
    bad_video:
      "That is not a link to a YouTube video: one begins with `https://www.youtube.com/` or `https://youtu.be/`. Nothing was created.",
    bad_price: "A price is a number from 0 to 1,000,000,000,000, such as `49.90`. Nothing was created.",
    bad_quantity: "The smallest quantity is a whole number, 1 or more. Nothing was created.",
    stock_too_large: "The stock file is too big: the limit is 1 MiB. Nothing was created.",
    stock_not_text:
      "The stock file is not a text file: it has to be plain text in UTF-8 and must not be empty. Nothing was created.",
    stock_twice: "There is stock both in the text field and in a file: use one of the two. Nothing was created.",
    stock_unread: "The stock file could not be downloaded from Discord. Nothing was created. Upload it again.",
    alerts_off: "Alerts are off in this server, so there is nothing to do. Turn them on with `/alerts set`.",
    already_done: "That was done already. Nothing was repeated.",
    cancelled: "That draft was cancelled, and nothing was done now. Run the command again to start a new one.",
    internal:
      "Something went wrong in the bot, and this was not completed. Try again; if it happens again, give the reference to whoever runs this bot.",
  },
  "pt-BR": {
    unauthorized:
      "A loja recusou o token da API, então nada foi lido nem alterado. Conecte um novo com `/loja conectar`; ele fica no painel de administração da loja, em Configurações e depois Open API.",
    not_found: "A loja não tem nada com esse ID. Nada foi alterado. Confira o ID ou procure na lista.",
    invalid: "A loja recusou, e nada foi alterado. Confira o que você digitou e tente de novo.",
    invalid_because: (detail) =>
      `A loja recusou, e nada foi alterado. Resposta da loja: “${detail}”. Corrija e tente de novo.`,
    rate_limited: (seconds) =>
      `A loja está recebendo requisições demais e pediu para esperar. Nada foi alterado. Tente de novo em ${plural("pt-BR", seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
    unavailable:
      "Não foi possível acessar a loja agora. Nada foi alterado e nada se perdeu. Tente de novo em alguns minutos.",
    timeout: "A loja demorou demais para responder. Nada foi alterado. Tente de novo em um minuto.",
    malformed:
      "Não foi possível entender a resposta da loja, por isso ela não aparece aqui. Nada foi alterado. Se continuar assim, avise quem opera este bot.",
    too_large:
      "A resposta da loja é grande demais para ser lida. Nada foi alterado. Restrinja a busca, por exemplo com um status ou um título.",
    ambiguous:
      "Enviamos o produto, mas a loja não respondeu: ele pode ou não ter sido criado. O bot não tenta de novo sozinho. Procure o título com `/produtos` antes de tentar de novo.",
    not_connected:
      "Ainda não há nenhuma loja conectada a este servidor. Quem tem a permissão Gerenciar servidor pode conectar uma com `/loja conectar`.",
    not_allowed: "Só quem tem a permissão Gerenciar servidor, ou um cargo liberado por quem a tem, pode usar isso.",
    someone_elses: "Isso é de outra pessoa. Para ter o seu, use o comando.",
    expired: "Isso expirou, e nada foi feito. Execute o comando de novo.",
    unknown_action: "Isso é de uma versão anterior, e nada foi feito. Execute o comando de novo.",
    guild_only: "Isso só funciona em um servidor, não em mensagens diretas. Execute o comando no servidor da sua loja.",
    cooldown: (seconds) =>
      `Rápido demais. Nada foi feito; tente de novo em ${plural("pt-BR", seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
    storage:
      "O bot não consegue acessar o próprio armazenamento agora, então isso não foi feito. O que já estava salvo continua lá. Tente de novo em alguns minutos.",
    undecryptable:
      "O token da API que estava salvo não pode mais ser lido, provavelmente porque a chave secreta do bot mudou. Suas outras configurações foram mantidas. Conecte a loja de novo com `/loja conectar`.",
    bad_email:
      "Isso não é um e-mail: um e-mail se parece com `nome@exemplo.com`. Nada foi consultado. Copie-o de um pedido.",
    customers_hidden:
      "A configuração de privacidade deste servidor não mostra clientes, por isso só quem tem a permissão Gerenciar servidor consulta os pedidos deles. Nada foi lido. Essa pessoa pode mudar isso com `/loja configurar privacidade`.",
    bad_uuid:
      "Isso não é um ID de pedido. Um ID se parece com `3f2a91bc-5d0e-4c1a-9b7e-0123456789ab`. Nada foi consultado. Copie o ID de um aviso ou de `/pedidos`.",
    bad_token:
      "Isso não pode ser um token da API: está vazio ou tem caracteres inválidos. Nada foi salvo. Copie o token inteiro e use `/loja conectar`.",
    bad_currency:
      "Isso não é um código de moeda: use as três letras da ISO 4217, como `BRL`, `USD` ou `EUR`. Nada foi alterado.",
    bad_page: (lastPage) => `Essa página não existe nesta lista: digite um número de 1 a ${lastPage}.`,
    bad_day: (today) =>
      `Isso não é um dia. Nada foi lido. Digite ano, mês e dia, como \`${today}\`, ou \`hoje\` ou \`ontem\`.`,
    days_reversed: "O primeiro dia vem depois do último. Nada foi lido. Troque `de` e `até`.",
    bad_reminder:
      "Isso não diz quando lembrar. Nada foi alterado. `após` é um tempo de 1 minuto a 7 dias, como `30 minutos`, `2 horas` ou `off`; `silêncio` são duas horas do dia, como `22-8`; `fuso` é um da lista.",
    export_running:
      "Você já tem uma exportação em andamento. Nenhuma outra foi iniciada. Espere até ela terminar ou encerre-a com **Cancelar**.",
    exports_full: "Há exportações demais em andamento agora. Nada foi iniciado. Tente de novo em alguns minutos.",
    import_broken: (line) =>
      `Isso não é um arquivo CSV: na linha ${line} não dá para saber onde termina uma célula. Nada foi criado. Salve de novo como CSV (UTF-8) e envie outra vez.`,
    import_columns: (columns) =>
      `O arquivo não tem a coluna ${columns}. A primeira linha dá nome às colunas, como no arquivo de \`/exportar produtos\`: pelo menos \`title\`, \`price\` e \`categoryId\`, o ID de uma categoria, que esse arquivo traz para cada produto. Nada foi criado.`,
    import_twice: (column) =>
      `O arquivo tem a coluna ${column} mais de uma vez. Nada foi criado. Deixe só uma e envie o arquivo de novo.`,
    import_empty: "O arquivo não tem produtos: não há nada abaixo da primeira linha. Nada foi criado.",
    import_long: "O arquivo tem linhas demais: o limite é 1.000. Nada foi criado. Divida em vários.",
    import_too_large: "O arquivo é grande demais: o limite é 1 MiB. Nada foi criado. Divida em vários.",
    import_not_text:
      "O arquivo não é texto em UTF-8. Nada foi criado. Salve como **CSV UTF-8** na sua planilha e envie de novo.",
    import_unread: "Não foi possível baixar o arquivo do Discord. Nada foi enviado à loja. Envie o arquivo de novo.",
    import_changed:
      "O arquivo não é mais o que foi mostrado, ou os preços dele agora são entendidos de outro jeito. Nada foi enviado à loja. Envie o arquivo de novo.",
    import_readings_full:
      "Outros arquivos estão sendo lidos agora. Nada foi enviado à loja. Tente de novo daqui a pouco.",
    full: "O bot guarda coisas demais para todos agora, por isso não deu para terminar. O que já estava salvo continua lá. Tente de novo em uma hora.",
    import_running:
      "Já há uma importação de produtos em andamento neste servidor. Nada mais foi iniciado. Espere até ela terminar ou encerre-a com **Cancelar**; se o bot foi reiniciado nesse meio-tempo, tente de novo em meio minuto.",
    imports_full: "Há importações demais em andamento agora. Nada foi iniciado. Tente de novo em alguns minutos.",
    stats_running:
      "Já há pedidos sendo lidos, para números ou um arquivo. Nada mais foi iniciado. Tente de novo em um minuto.",
    stats_late:
      "São mais pedidos do que dá para ler no tempo que o Discord permite (14 minutos). Nada foi alterado. Peça um período mais curto.",
    stats_ending: "O bot foi encerrado enquanto lia os pedidos. Nada foi alterado. Use o comando de novo em um minuto.",
    bad_zone:
      "Isso não é um fuso horário. Nada foi alterado. Digite uma cidade que tenha um, como `America/Sao_Paulo` ou `Europe/Lisbon`, e escolha na lista.",
    bad_hour: "Isso não é uma hora. Nada foi alterado. Digite um número inteiro de 0 a 23.",
    digest_off: "Nenhum resumo é publicado, então não há o que encerrar. `/resumo definir` os inicia.",
    channel_gone:
      "Esse canal não existe mais, ou o bot não consegue vê-lo. Nada foi publicado. Os pedidos que iam para lá estão guardados: escolha um canal com `/avisos definir`.",
    forbidden:
      "Faltam permissões ao bot nesse canal, então nada foi publicado. Permita que ele veja o canal e envie mensagens nele, depois tente de novo.",
    forbidden_without: (permissions) =>
      `Faltam permissões ao bot nesse canal, então nada foi publicado. Permita: ${permissions}. Depois tente de novo.`,
    discord_down:
      "O Discord não aceitou a mensagem. Os pedidos pendentes estão guardados e serão publicados assim que for possível.",
    public_not_theirs:
      "Todos neste servidor podem ler esse canal, e os avisos ali mostrariam clientes. Só quem tem a permissão Gerenciar servidor pode decidir isso. Nada foi alterado. Escolha um canal que nem todos possam ler ou peça a essa pessoa.",
    customers_not_theirs:
      "Os avisos mostram clientes neste servidor, então só quem tem a permissão Gerenciar servidor pode escolher outro canal para eles. Nada foi alterado. Peça a essa pessoa.",
    role_not_theirs:
      "Você não pode mencionar esse cargo nesse canal, então não pode fazer o bot mencioná-lo. Quem tem a permissão Gerenciar servidor pode escolhê-lo ou permitir que todos o mencionem. Nada foi alterado.",
    channel_not_theirs:
      "Você não pode ver esse canal ou não pode escrever nele, então não pode fazer o bot escrever ali. Nada foi alterado. Escolha um canal em que você possa escrever ou peça a quem tem a permissão Gerenciar servidor.",
    foreign_channel: "Esse canal não é deste servidor. Nada foi alterado. Escolha um da lista.",
    foreign_role: "Esse cargo não é deste servidor. Nada foi alterado. Escolha um da lista.",
    discord_silent:
      "O Discord não responde agora, então não se sabe quem pode ler esse canal. Nada foi alterado. Tente de novo em alguns minutos ou peça a quem tem a permissão Gerenciar servidor.",
    bad_category: "Isso não é uma categoria: escolha uma das sugestões ou cole o ID. Nada foi feito.",
    bad_title: "Um produto precisa de um título legível. Nada foi criado.",
    bad_picture:
      "Isso não é um link de imagem. Use links que comecem com `https://` ou `http://`, separados por espaço (no máximo dez). Nada foi criado.",
    bad_video:
      "Isso não é um link de vídeo do YouTube. Ele começa com `https://www.youtube.com/` ou `https://youtu.be/`. Nada foi criado.",
    bad_price: "Um preço é um número de 0 a 1.000.000.000.000, como `49,90`. Nada foi criado.",
    bad_quantity: "A quantidade mínima é um número inteiro a partir de 1. Nada foi criado.",
    stock_too_large: "O arquivo de estoque é grande demais: o limite é 1 MiB. Nada foi criado.",
    stock_not_text:
      "O arquivo de estoque não é de texto: precisa ser um arquivo de texto simples em UTF-8 e não pode estar vazio. Nada foi criado.",
    stock_twice: "Há estoque no campo de texto e também em um arquivo: use um dos dois. Nada foi criado.",
    stock_unread: "Não foi possível baixar do Discord o arquivo de estoque. Nada foi criado. Envie-o de novo.",
    alerts_off:
      "Os avisos estão desativados neste servidor, então não há nada a fazer. Ative-os com `/avisos definir`.",
    already_done: "Isso já foi feito antes. Nada foi repetido.",
    cancelled: "Esse rascunho foi cancelado, e nada foi feito agora. Execute o comando de novo para começar outro.",
    internal:
      "Algo deu errado no bot, e isso não foi concluído. Tente de novo; se acontecer outra vez, passe a referência a quem opera este bot.",
  },
  es: {
    unauthorized:
      "La tienda rechazó el token de la API, así que no se leyó ni se cambió nada. Conecta uno nuevo con `/tienda conectar`; está en el panel de administración de la tienda, en Configuración y luego Open API.",
    not_found: "La tienda no tiene nada con ese ID. No se cambió nada. Revisa el ID o búscalo en la lista.",
    invalid: "La tienda no lo aceptó y no se cambió nada. Revisa lo que escribiste e inténtalo de nuevo.",
    invalid_because: (detail) =>
      `La tienda no lo aceptó y no se cambió nada. Respuesta de la tienda: “${detail}”. Corrígelo e inténtalo de nuevo.`,
    rate_limited: (seconds) =>
      `La tienda recibe demasiadas solicitudes y pidió esperar. No se cambió nada. Inténtalo de nuevo en ${plural("es", seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
    unavailable:
      "No se puede acceder a la tienda en este momento. No se cambió ni se perdió nada. Inténtalo de nuevo en unos minutos.",
    timeout: "La tienda tardó demasiado en responder. No se cambió nada. Inténtalo de nuevo en un minuto.",
    malformed:
      "No se pudo entender la respuesta de la tienda, por eso no aparece aquí. No se cambió nada. Si sigue así, avisa a quien opera este bot.",
    too_large:
      "La respuesta de la tienda es demasiado grande para leerla. No se cambió nada. Acota la búsqueda, por ejemplo con un estado o un título.",
    ambiguous:
      "Enviamos el producto, pero la tienda no respondió: puede que se haya creado o no. El bot no lo envía de nuevo por su cuenta. Busca el título con `/productos` antes de intentarlo de nuevo.",
    not_connected:
      "Todavía no hay ninguna tienda conectada a este servidor. Alguien con el permiso Gestionar servidor puede conectar una con `/tienda conectar`.",
    not_allowed:
      "Solo puede usar esto quien tiene el permiso Gestionar servidor o un rol autorizado por quien lo tiene.",
    someone_elses: "Eso es de otra persona. Usa el comando para empezar el tuyo.",
    expired: "Eso ya venció y no se hizo nada. Ejecuta el comando de nuevo.",
    unknown_action: "Eso es de una versión anterior y no se hizo nada. Ejecuta el comando de nuevo.",
    guild_only:
      "Esto solo funciona en un servidor, no en mensajes directos. Ejecuta el comando en el servidor de tu tienda.",
    cooldown: (seconds) =>
      `Demasiado rápido. No se hizo nada; inténtalo de nuevo en ${plural("es", seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
    storage:
      "El bot no puede acceder a su propio almacenamiento en este momento, así que esto no se hizo. Lo que ya estaba guardado no se perdió. Inténtalo de nuevo en unos minutos.",
    undecryptable:
      "Ya no se puede leer el token de la API guardado, probablemente porque cambió la clave secreta del bot. Tus demás ajustes se conservan. Conecta la tienda de nuevo con `/tienda conectar`.",
    bad_email:
      "Eso no es un correo: un correo se parece a `nombre@ejemplo.com`. No se consultó nada. Cópialo de un pedido.",
    customers_hidden:
      "El ajuste de privacidad de este servidor no muestra clientes, así que solo alguien con el permiso Gestionar servidor consulta sus pedidos. No se leyó nada. Esa persona puede cambiarlo con `/tienda ajustes privacidad`.",
    bad_uuid:
      "Eso no es un ID de pedido. Un ID se parece a `3f2a91bc-5d0e-4c1a-9b7e-0123456789ab`. No se consultó nada. Copia el ID de un aviso o de `/pedidos`.",
    bad_token:
      "Eso no puede ser un token de la API: está vacío o tiene caracteres no válidos. No se guardó nada. Copia el token completo y usa `/tienda conectar`.",
    bad_currency:
      "Eso no es un código de moneda: usa las tres letras de ISO 4217, como `USD`, `MXN` o `EUR`. No se cambió nada.",
    bad_page: (lastPage) => `Esa página no existe en esta lista: escribe un número del 1 al ${lastPage}.`,
    bad_day: (today) =>
      `Eso no es un día. No se leyó nada. Escribe año, mes y día, como \`${today}\`, o \`hoy\` o \`ayer\`.`,
    days_reversed: "El primer día es posterior al último. No se leyó nada. Intercambia `desde` y `hasta`.",
    bad_reminder:
      "Eso no dice cuándo recordar. No se cambió nada. `tras` es un tiempo de 1 minuto a 7 días, como `30 minutos`, `2 horas` u `off`; `silencio` son dos horas del día, como `22-8`; `zona` es una de la lista.",
    export_running:
      "Ya tienes una exportación en curso. No se empezó ninguna otra. Espera a que termine o deténla con **Cancelar**.",
    exports_full:
      "Hay demasiadas exportaciones en curso en este momento. No se empezó nada. Inténtalo de nuevo en unos minutos.",
    import_broken: (line) =>
      `Eso no es un archivo CSV: en la línea ${line} no se sabe dónde termina una celda. No se creó nada. Guárdalo de nuevo como CSV (UTF-8) y envíalo otra vez.`,
    import_columns: (columns) =>
      `El archivo no tiene la columna ${columns}. La primera fila da nombre a las columnas, como en el archivo de \`/exportar productos\`: al menos \`title\`, \`price\` y \`categoryId\`, el ID de una categoría, que ese archivo trae de cada producto. No se creó nada.`,
    import_twice: (column) =>
      `El archivo tiene la columna ${column} más de una vez. No se creó nada. Deja solo una y envía el archivo de nuevo.`,
    import_empty: "El archivo no tiene productos: no hay nada debajo de la primera fila. No se creó nada.",
    import_long: "El archivo tiene demasiadas filas: el límite es 1000. No se creó nada. Divídelo en varios.",
    import_too_large: "El archivo es demasiado grande: el límite es 1 MiB. No se creó nada. Divídelo en varios.",
    import_not_text:
      "El archivo no es texto en UTF-8. No se creó nada. Guárdalo como **CSV UTF-8** en tu hoja de cálculo y envíalo de nuevo.",
    import_unread:
      "No se pudo descargar el archivo de Discord. No se envió nada a la tienda. Envía el archivo de nuevo.",
    import_changed:
      "El archivo ya no es el que se mostró, o sus precios ahora se entienden de otra forma. No se envió nada a la tienda. Envía el archivo de nuevo.",
    import_readings_full:
      "Se están leyendo otros archivos en este momento. No se envió nada a la tienda. Inténtalo de nuevo en un momento.",
    full: "El bot guarda demasiado para todos en este momento, así que no se pudo terminar. Lo que ya se guardó se conserva. Inténtalo de nuevo en una hora.",
    import_running:
      "Ya hay una importación de productos en curso en este servidor. No se empezó nada más. Espera a que termine o deténla con **Cancelar**; si el bot se reinició mientras tanto, inténtalo de nuevo en medio minuto.",
    imports_full:
      "Hay demasiadas importaciones en curso en este momento. No se empezó nada. Inténtalo de nuevo en unos minutos.",
    stats_running:
      "Ya se están leyendo pedidos, para cifras o un archivo. No se empezó nada más. Inténtalo de nuevo en un minuto.",
    stats_late:
      "Son más pedidos de los que se pueden leer en el tiempo que da Discord (14 minutos). No se cambió nada. Pide un período más corto.",
    stats_ending:
      "El bot se detuvo mientras leía los pedidos. No se cambió nada. Usa el comando otra vez en un minuto.",
    bad_zone:
      "Eso no es una zona horaria. No se cambió nada. Escribe una ciudad que tenga una, como `America/Sao_Paulo` o `Europe/Lisbon`, y elige de la lista.",
    bad_hour: "Eso no es una hora. No se cambió nada. Escribe un número entero de 0 a 23.",
    digest_off: "No se publica ningún resumen, así que no hay nada que terminar. `/resumen activar` los inicia.",
    channel_gone:
      "Ese canal ya no existe o el bot no puede verlo. No se publicó nada. Los pedidos que iban allí se conservan: elige un canal con `/avisos activar`.",
    forbidden:
      "Al bot le faltan permisos en ese canal, así que no se publicó nada. Permítele ver el canal y enviar mensajes en él, y luego inténtalo de nuevo.",
    forbidden_without: (permissions) =>
      `Al bot le faltan permisos en ese canal, así que no se publicó nada. Permítele: ${permissions}. Luego inténtalo de nuevo.`,
    discord_down:
      "Discord no aceptó el mensaje. Los pedidos pendientes están guardados y se publicarán en cuanto sea posible.",
    public_not_theirs:
      "Todos en este servidor pueden leer ese canal, y los avisos mostrarían clientes allí. Solo alguien con el permiso Gestionar servidor puede decidirlo. No se cambió nada. Elige un canal que no todos puedan leer o pídeselo a esa persona.",
    customers_not_theirs:
      "Los avisos muestran clientes en este servidor, así que solo alguien con el permiso Gestionar servidor puede elegir otro canal para ellos. No se cambió nada. Pídeselo a esa persona.",
    role_not_theirs:
      "No puedes mencionar ese rol en ese canal, así que no puedes hacer que el bot lo mencione. Alguien con el permiso Gestionar servidor puede elegirlo o permitir que todos lo mencionen. No se cambió nada.",
    channel_not_theirs:
      "No puedes ver ese canal o no puedes escribir en él, así que no puedes hacer que el bot escriba allí. No se cambió nada. Elige un canal en el que puedas escribir o pídeselo a alguien con el permiso Gestionar servidor.",
    foreign_channel: "Ese canal no es de este servidor. No se cambió nada. Elige uno de la lista.",
    foreign_role: "Ese rol no es de este servidor. No se cambió nada. Elige uno de la lista.",
    discord_silent:
      "Discord no responde en este momento, así que no se sabe quién puede leer ese canal. No se cambió nada. Inténtalo de nuevo en unos minutos o pídeselo a alguien con el permiso Gestionar servidor.",
    bad_category: "Eso no es una categoría: elige una de las sugerencias o pega su ID. No se hizo nada.",
    bad_title: "Un producto necesita un título legible. No se creó nada.",
    bad_picture:
      "Eso no es un enlace de imagen. Debe empezar con `https://` o `http://`; separa varios (diez como máximo) con espacios. No se creó nada.",
    bad_video:
      "Eso no es un enlace de video de YouTube. Debe empezar con `https://www.youtube.com/` o `https://youtu.be/`. No se creó nada.",
    bad_price: "Un precio es un número de 0 a 1.000.000.000.000, como `49,90`. No se creó nada.",
    bad_quantity: "La cantidad mínima es un número entero a partir de 1. No se creó nada.",
    stock_too_large: "El archivo de stock es demasiado grande: el límite es 1 MiB. No se creó nada.",
    stock_not_text:
      "El archivo de stock no es de texto: debe ser un archivo de texto sin formato en UTF-8 y no puede estar vacío. No se creó nada.",
    stock_twice: "Hay stock en el campo de texto y también en un archivo: usa uno de los dos. No se creó nada.",
    stock_unread: "No se pudo descargar de Discord el archivo de stock. No se creó nada. Súbelo de nuevo.",
    alerts_off:
      "Los avisos están desactivados en este servidor, así que no hay nada que hacer. Actívalos con `/avisos activar`.",
    already_done: "Eso ya se había hecho. No se repitió nada.",
    cancelled: "Ese borrador se canceló y ahora no se hizo nada. Ejecuta el comando de nuevo para empezar otro.",
    internal:
      "Algo falló en el bot y esto no se completó. Inténtalo de nuevo; si vuelve a pasar, da la referencia a quien opera este bot.",
  },
});
