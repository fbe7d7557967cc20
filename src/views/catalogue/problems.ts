import { defineTexts, plural } from "./define-texts.ts";

/**
 * One message per code of `Problem`: what happened, whether anything was lost or changed where it could have been, what to
 * do next. Keys are the codes themselves. Arguments come in harmless.
 */
export const problems = defineTexts({
  en: {
    unauthorized:
      "The store refused the API token. Nothing was changed. Connect a new one with `/store connect`: you get it in the store's administration panel, under Settings, then Open API.",
    not_found: "The store has nothing with that ID. Check the ID, or look for it in the list.",
    invalid: "The store did not accept that. Nothing was changed. Check what you entered and try again.",
    invalid_because: (detail: string) =>
      `The store did not accept that. Nothing was changed. It says: “${detail}”. Correct it and try again.`,
    rate_limited: (seconds: number) =>
      `The store is getting too many requests. Nothing was changed. Try again in ${plural("en", seconds, { one: `1 second`, other: `${seconds} seconds` })}.`,
    unavailable: "The store cannot be reached right now. Nothing was changed. Try again in a few minutes.",
    timeout: "The store took too long to answer. Try again in a minute.",
    malformed:
      "The store's answer could not be understood, so it is not shown. If this keeps happening, tell the person who runs this bot.",
    too_large: "The store's answer was too big to read. Narrow the search, for example with a status or a title.",
    ambiguous:
      "The product was sent to the store, but no answer came: it may or may not have been created. The bot does not send it again by itself. Look for the title with `/products` before you try again.",
    not_connected:
      "No store is connected to this server yet. Someone with the Manage Server permission can connect one with `/store connect`.",
    not_allowed: "Only members with the Manage Server permission or the staff role can use this.",
    someone_elses: "Only the person who ran the command can use this. Run the command yourself to get your own.",
    expired: "This has expired. Run the command again to start over.",
    unknown_action: "This is from an earlier version of the bot. Run the command again.",
    guild_only: "This works only in a server, not in direct messages. Run the command in your store's server.",
    cooldown: (seconds: number) =>
      `That was too fast. Try again in ${plural("en", seconds, { one: `1 second`, other: `${seconds} seconds` })}.`,
    storage:
      "The bot cannot reach its own storage right now, so this was not done. Nothing that was saved before is lost. Try again in a few minutes.",
    undecryptable:
      "The saved API token can no longer be read, most likely because the bot's secret key was changed. Your other settings are kept. Connect the store again with `/store connect`.",
    bad_email: "That is not an e-mail address. Type one such as `name@example.com`, or copy it from an order.",
    customers_hidden:
      "This server's privacy setting hides customers, so only members with the Manage Server permission can look up their orders. They can change that with `/store settings privacy`.",
    bad_uuid:
      "That is not an order ID. One looks like `3f2a91bc-5d0e-4c1a-9b7e-0123456789ab`: copy it from an alert or from `/orders`.",
    bad_token:
      "That cannot be an API token: it is empty or contains invalid characters. Nothing was saved. Copy the whole token and run `/store connect` again.",
    bad_currency:
      "That is not a currency. Nothing was changed. Use a code of three letters, such as `USD`, `BRL` or `EUR`.",
    bad_page: (lastPage: string) => `This list has no such page. Type a number from 1 to ${lastPage}.`,
    bad_day: (today: string) =>
      `That is not a date. Type year, month and day, such as \`${today}\`, or \`today\` or \`yesterday\`.`,
    days_reversed: "The first day is after the last one. Swap `from` and `to`.",
    bad_reminder:
      "Those are not valid reminder settings. Nothing was changed. `after` is a time from 1 minute to 7 days, such as `30 minutes` or `2 hours`, or `off`; `quiet` is a range of hours, such as `22-8`; `timezone` is one from the list.",
    export_running: "You already have an export running. Wait until it ends, or stop it with **Cancel**.",
    exports_full: "Too many exports are running right now. Try again in a few minutes.",
    import_broken: (line: string) =>
      `This CSV file is broken at line ${line}: a cell there has no clear end. Nothing was created. Save it again as CSV (UTF-8) and send it again.`,
    import_columns: (columns: string) =>
      `The file is missing columns: ${columns}. Nothing was created. The first row has to name the columns, as in the file from \`/export products\`, which also has the \`categoryId\` of each product. Needed are \`title\`, \`price\` and \`categoryId\`.`,
    import_twice: (column: string) =>
      `The file has the column ${column} more than once. Nothing was created. Keep one of them and send the file again.`,
    import_empty: "The file has no products: there is nothing below its first row. Nothing was created.",
    import_long: "The file has too many rows: the limit is 1,000. Nothing was created. Split it into several files.",
    import_too_large: "The file is too big: the limit is 1 MiB. Nothing was created. Split it into several files.",
    import_not_text:
      "The file is not UTF-8 text. Nothing was created. Save it as **CSV UTF-8** in your spreadsheet program and send it again.",
    import_unread: "The file could not be downloaded from Discord. Nothing was sent to the store. Send the file again.",
    import_changed:
      "The file is no longer the one that was shown, or its prices would now be read differently. Nothing was sent to the store. Send the file again.",
    import_readings_full: "Other files are being read right now. Nothing was sent to the store. Try again in a moment.",
    full: "The bot has no room for more right now, so this could not be finished. Nothing that was saved before is lost. Try again in an hour.",
    import_running:
      "An import is already running in this server. Wait until it ends, or stop it with **Cancel**. If the bot was restarted meanwhile, try again in half a minute.",
    imports_full: "Too many imports are running right now. Nothing was created. Try again in a few minutes.",
    stats_running: "Orders are already being read for statistics or a file. Try again in a minute.",
    stats_late:
      "There are more orders than can be read in the 14 minutes that Discord allows. Ask for a shorter period.",
    stats_ending: "The bot was stopped while it read the orders. Run the command again in a minute.",
    bad_zone:
      "That is not a time zone. Nothing was changed. Start typing a city, such as `America/Sao_Paulo`, and pick it from the list.",
    bad_hour: "That is not an hour. Nothing was changed. Type a whole number from 0 to 23.",
    digest_off: "The digest is already off. Turn it on with `/digest set`.",
    channel_gone:
      "That channel is gone, or the bot cannot see it. Nothing was posted. Orders waiting for it are kept: choose another channel with `/alerts set`.",
    forbidden:
      "The bot is missing permissions in that channel, so nothing was posted. Let it view the channel and send messages there, then try again.",
    forbidden_without: (permissions: string) =>
      `The bot is missing permissions in that channel, so nothing was posted. Give it: ${permissions}. Then try again.`,
    discord_down: "Discord did not accept the message. Orders are kept, and posted as soon as it does.",
    public_not_theirs:
      "Everyone in this server can read that channel, and alerts there would show customers. Only someone with the Manage Server permission can allow that. Nothing was changed. Choose a private channel, or ask them.",
    customers_not_theirs:
      "Alerts in this server show customers, so only someone with the Manage Server permission can choose another channel. Nothing was changed. Ask them.",
    role_not_theirs:
      "You cannot mention that role in that channel, so you cannot make the bot mention it. Nothing was changed. Someone with the Manage Server permission can choose it, or let everyone mention the role.",
    channel_not_theirs:
      "You cannot see that channel or write in it, so you cannot make the bot write there. Nothing was changed. Choose a channel that you can write in, or ask someone with the Manage Server permission.",
    foreign_channel: "That channel is not in this server. Nothing was changed. Choose one from the list.",
    foreign_role: "That role is not in this server. Nothing was changed. Choose one from the list.",
    discord_silent:
      "Discord is not answering right now, so the bot cannot check who can read that channel. Nothing was changed. Try again in a few minutes, or ask someone with the Manage Server permission.",
    bad_category: "That is not a category. Choose one of the suggestions, or paste its ID.",
    bad_title: "A product needs a title that can be read.",
    bad_picture:
      "That is not a link to a picture. Links begin with `https://` or `http://`; separate several (up to ten) with spaces.",
    bad_video:
      "That is not a link to a YouTube video. One begins with `https://www.youtube.com/` or `https://youtu.be/`.",
    bad_price: "A price is a number, such as `49.90`.",
    bad_quantity: "The minimum quantity is a whole number, 1 or more.",
    stock_too_large: "The stock file is too big: the limit is 1 MiB.",
    stock_not_text: "The stock file has to be plain UTF-8 text, and must not be empty.",
    stock_twice: "There is stock both in the text field and in a file. Use only one of them.",
    stock_unread: "The stock file could not be downloaded from Discord. Upload it again.",
    alerts_off: "Alerts are off in this server. Turn them on with `/alerts set`.",
    already_done: "This was already done, so it was not done again.",
    cancelled: "That draft was cancelled. Run the command again to start a new one.",
    internal:
      "Something went wrong in the bot, and this was not completed. Try again. If it happens again, give the reference to the person who runs this bot.",
  },
  "pt-BR": {
    unauthorized:
      "A loja recusou o token da API. Nada foi alterado. Conecte um novo com `/loja conectar`: ele fica no painel de administração da loja, em Configurações, depois Open API.",
    not_found: "A loja não tem nada com esse ID. Confira o ID ou procure na lista.",
    invalid: "A loja recusou os dados. Nada foi alterado. Confira o que você digitou e tente de novo.",
    invalid_because: (detail) =>
      `A loja recusou os dados. Nada foi alterado. Resposta da loja: “${detail}”. Corrija e tente de novo.`,
    rate_limited: (seconds) =>
      `A loja está recebendo requisições demais. Nada foi alterado. Tente de novo em ${plural("pt-BR", seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
    unavailable: "Não foi possível acessar a loja agora. Nada foi alterado. Tente de novo em alguns minutos.",
    timeout: "A loja demorou demais para responder. Tente de novo em um minuto.",
    malformed:
      "Não foi possível entender a resposta da loja, por isso ela não aparece aqui. Se continuar assim, avise quem administra este bot.",
    too_large: "A resposta da loja é grande demais. Restrinja a busca, por exemplo com um status ou um título.",
    ambiguous:
      "Enviamos o produto, mas a loja não respondeu: ele pode ou não ter sido criado. O bot não envia de novo sozinho. Procure o título com `/produtos` antes de tentar de novo.",
    not_connected:
      "Este servidor ainda não tem uma loja conectada. Quem tem a permissão Gerenciar servidor pode conectar uma com `/loja conectar`.",
    not_allowed: "Só quem tem a permissão Gerenciar servidor ou o cargo da equipe pode usar isto.",
    someone_elses: "Só quem usou o comando pode usar isto. Use você também o comando para ter o seu.",
    expired: "Isto expirou. Use o comando de novo para recomeçar.",
    unknown_action: "Isto é de uma versão anterior do bot. Use o comando de novo.",
    guild_only: "Isto só funciona em um servidor, não em mensagens diretas. Use o comando no servidor da sua loja.",
    cooldown: (seconds) =>
      `Rápido demais. Tente de novo em ${plural("pt-BR", seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
    storage:
      "O bot não consegue acessar os próprios dados agora, então isto não foi feito. O que já estava salvo não se perdeu. Tente de novo em alguns minutos.",
    undecryptable:
      "O token da API que estava salvo não pode mais ser lido, provavelmente porque a chave secreta do bot mudou. As suas outras configurações continuam salvas. Conecte a loja de novo com `/loja conectar`.",
    bad_email: "Isso não é um e-mail. Digite um como `nome@exemplo.com` ou copie de um pedido.",
    customers_hidden:
      "A configuração de privacidade deste servidor oculta os clientes, então só quem tem a permissão Gerenciar servidor pode consultar os pedidos deles e mudar isso com `/loja configurar privacidade`.",
    bad_uuid:
      "Isso não é um ID de pedido. Um ID se parece com `3f2a91bc-5d0e-4c1a-9b7e-0123456789ab`: copie de um aviso ou de `/pedidos`.",
    bad_token:
      "Isso não pode ser um token da API: está vazio ou tem caracteres inválidos. Nada foi salvo. Copie o token inteiro e use `/loja conectar` de novo.",
    bad_currency: "Isso não é uma moeda. Nada foi alterado. Use um código de três letras, como `BRL`, `USD` ou `EUR`.",
    bad_page: (lastPage) => `Essa página não existe. Digite um número de 1 a ${lastPage}.`,
    bad_day: (today) => `Isso não é uma data. Digite ano, mês e dia, como \`${today}\`, ou \`hoje\` ou \`ontem\`.`,
    days_reversed: "O primeiro dia vem depois do último. Inverta `de` e `até`.",
    bad_reminder:
      "Lembrete inválido. Nada foi alterado. `após` é um tempo de 1 minuto a 7 dias, como `30 minutos` ou `2 horas`, ou `off`; `silêncio` é um intervalo de horas, como `22-8`; `fuso` é um da lista.",
    export_running: "Você já tem uma exportação em andamento. Espere até ela terminar ou cancele-a com **Cancelar**.",
    exports_full: "Há exportações demais em andamento agora. Tente de novo em alguns minutos.",
    import_broken: (line) =>
      `Este arquivo CSV tem um erro na linha ${line}: não dá para saber onde termina uma célula. Nada foi criado. Salve de novo como CSV (UTF-8) e envie outra vez.`,
    import_columns: (columns) =>
      `Faltam colunas no arquivo: ${columns}. Nada foi criado. A primeira linha precisa ter os nomes das colunas, como no arquivo de \`/exportar produtos\`, que também traz o \`categoryId\` de cada produto. São obrigatórias \`title\`, \`price\` e \`categoryId\`.`,
    import_twice: (column) =>
      `O arquivo tem a coluna ${column} mais de uma vez. Nada foi criado. Deixe só uma e envie o arquivo de novo.`,
    import_empty: "O arquivo não tem produtos: não há nada abaixo da primeira linha. Nada foi criado.",
    import_long: "O arquivo tem linhas demais: o limite é 1.000. Nada foi criado. Divida em vários arquivos.",
    import_too_large: "O arquivo é grande demais: o limite é 1 MiB. Nada foi criado. Divida em vários arquivos.",
    import_not_text:
      "O arquivo não é texto em UTF-8. Nada foi criado. Salve como **CSV UTF-8** na sua planilha e envie de novo.",
    import_unread: "Não foi possível baixar o arquivo do Discord. Nada foi enviado à loja. Envie o arquivo de novo.",
    import_changed:
      "O arquivo não é mais o que foi mostrado, ou os preços dele agora seriam lidos de outro jeito. Nada foi enviado à loja. Envie o arquivo de novo.",
    import_readings_full:
      "Outros arquivos estão sendo lidos agora. Nada foi enviado à loja. Tente de novo daqui a pouco.",
    full: "O bot está sem espaço agora, por isso não foi possível terminar. O que já estava salvo não se perdeu. Tente de novo em uma hora.",
    import_running:
      "Já há uma importação em andamento neste servidor. Espere até ela terminar ou cancele-a com **Cancelar**. Se o bot foi reiniciado nesse meio-tempo, tente de novo em meio minuto.",
    imports_full: "Há importações demais em andamento agora. Nada foi criado. Tente de novo em alguns minutos.",
    stats_running: "Os pedidos já estão sendo lidos para estatísticas ou para um arquivo. Tente de novo em um minuto.",
    stats_late: "Há mais pedidos do que dá para ler nos 14 minutos que o Discord permite. Peça um período mais curto.",
    stats_ending: "O bot foi encerrado enquanto lia os pedidos. Use o comando de novo em um minuto.",
    bad_zone:
      "Isso não é um fuso horário. Nada foi alterado. Comece a digitar uma cidade, como `America/Sao_Paulo`, e escolha na lista.",
    bad_hour: "Isso não é uma hora. Nada foi alterado. Digite um número inteiro de 0 a 23.",
    digest_off: "O resumo já está desativado. Ative com `/resumo definir`.",
    channel_gone:
      "Esse canal não existe mais, ou o bot não consegue vê-lo. Nada foi publicado. Os pedidos que iam para lá estão guardados: escolha outro canal com `/avisos definir`.",
    forbidden:
      "Faltam permissões ao bot nesse canal, então nada foi publicado. Permita que ele veja o canal e envie mensagens nele, depois tente de novo.",
    forbidden_without: (permissions) =>
      `Faltam permissões ao bot nesse canal, então nada foi publicado. Dê a ele: ${permissions}. Depois tente de novo.`,
    discord_down:
      "O Discord não aceitou a mensagem. Os pedidos estão guardados e serão publicados assim que for possível.",
    public_not_theirs:
      "Todos neste servidor podem ler esse canal, e os avisos ali mostrariam clientes. Só quem tem a permissão Gerenciar servidor pode permitir isso. Nada foi alterado. Escolha um canal privado ou fale com essa pessoa.",
    customers_not_theirs:
      "Os avisos deste servidor mostram clientes, então só quem tem a permissão Gerenciar servidor pode escolher outro canal. Nada foi alterado. Fale com essa pessoa.",
    role_not_theirs:
      "Você não pode mencionar esse cargo nesse canal, então não pode fazer o bot mencioná-lo. Nada foi alterado. Quem tem a permissão Gerenciar servidor pode escolhê-lo ou permitir que todos o mencionem.",
    channel_not_theirs:
      "Você não pode ver esse canal ou escrever nele, então não pode fazer o bot escrever ali. Nada foi alterado. Escolha um canal em que você possa escrever ou fale com quem tem a permissão Gerenciar servidor.",
    foreign_channel: "Esse canal não é deste servidor. Nada foi alterado. Escolha um da lista.",
    foreign_role: "Esse cargo não é deste servidor. Nada foi alterado. Escolha um da lista.",
    discord_silent:
      "O Discord não está respondendo agora, então o bot não consegue verificar quem pode ler esse canal. Nada foi alterado. Tente de novo em alguns minutos ou fale com quem tem a permissão Gerenciar servidor.",
    bad_category: "Isso não é uma categoria. Escolha uma das sugestões ou cole o ID dela.",
    bad_title: "Um produto precisa de um título legível.",
    bad_picture:
      "Isso não é um link de imagem. Os links começam com `https://` ou `http://`; separe vários (até dez) com espaços.",
    bad_video:
      "Isso não é um link de vídeo do YouTube. Ele começa com `https://www.youtube.com/` ou `https://youtu.be/`.",
    bad_price: "Um preço é um número, como `49,90`.",
    bad_quantity: "A quantidade mínima é um número inteiro, 1 ou mais.",
    stock_too_large: "O arquivo de estoque é grande demais: o limite é 1 MiB.",
    stock_not_text: "O arquivo de estoque precisa ser texto simples em UTF-8 e não pode estar vazio.",
    stock_twice: "Há estoque no campo de texto e também em um arquivo. Use só um dos dois.",
    stock_unread: "Não foi possível baixar o arquivo de estoque do Discord. Envie-o de novo.",
    alerts_off: "Os avisos estão desativados neste servidor. Ative com `/avisos definir`.",
    already_done: "Isto já tinha sido feito e não foi repetido.",
    cancelled: "Esse rascunho foi cancelado. Use o comando de novo para começar outro.",
    internal:
      "Algo deu errado no bot, e isto não foi concluído. Tente de novo. Se acontecer outra vez, passe a referência a quem administra este bot.",
  },
  es: {
    unauthorized:
      "La tienda rechazó el token de la API. No se cambió nada. Conecta uno nuevo con `/tienda conectar`: está en el panel de administración de la tienda, en Configuración, luego Open API.",
    not_found: "La tienda no tiene nada con ese ID. Revisa el ID o búscalo en la lista.",
    invalid: "La tienda rechazó los datos. No se cambió nada. Revisa lo que escribiste e inténtalo de nuevo.",
    invalid_because: (detail) =>
      `La tienda rechazó los datos. No se cambió nada. Respuesta de la tienda: “${detail}”. Corrígelo e inténtalo de nuevo.`,
    rate_limited: (seconds) =>
      `La tienda recibe demasiadas solicitudes. No se cambió nada. Inténtalo de nuevo en ${plural("es", seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
    unavailable:
      "No se puede acceder a la tienda en este momento. No se cambió nada. Inténtalo de nuevo en unos minutos.",
    timeout: "La tienda tardó demasiado en responder. Inténtalo de nuevo en un minuto.",
    malformed:
      "No se pudo entender la respuesta de la tienda, por eso no aparece aquí. Si sigue así, avisa a quien administra este bot.",
    too_large:
      "La respuesta de la tienda es demasiado grande. Acota la búsqueda, por ejemplo con un estado o un título.",
    ambiguous:
      "Enviamos el producto, pero la tienda no respondió: puede que se haya creado o no. El bot no lo envía de nuevo por su cuenta. Busca el título con `/productos` antes de intentarlo de nuevo.",
    not_connected:
      "Este servidor todavía no tiene una tienda conectada. Alguien con el permiso Gestionar servidor puede conectar una con `/tienda conectar`.",
    not_allowed: "Solo puede usar esto quien tiene el permiso Gestionar servidor o el rol del equipo.",
    someone_elses: "Solo puede usar esto quien usó el comando. Usa tú también el comando para tener el tuyo.",
    expired: "Esto ya venció. Usa el comando de nuevo para volver a empezar.",
    unknown_action: "Esto es de una versión anterior del bot. Usa el comando de nuevo.",
    guild_only:
      "Esto solo funciona en un servidor, no en mensajes directos. Usa el comando en el servidor de tu tienda.",
    cooldown: (seconds) =>
      `Demasiado rápido. Inténtalo de nuevo en ${plural("es", seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
    storage:
      "El bot no puede acceder a sus propios datos en este momento, así que esto no se hizo. Lo que ya estaba guardado no se perdió. Inténtalo de nuevo en unos minutos.",
    undecryptable:
      "Ya no se puede leer el token de la API guardado, probablemente porque cambió la clave secreta del bot. Tus demás ajustes se conservan. Conecta la tienda de nuevo con `/tienda conectar`.",
    bad_email: "Eso no es un correo. Escribe uno como `nombre@ejemplo.com` o cópialo de un pedido.",
    customers_hidden:
      "El ajuste de privacidad de este servidor oculta a los clientes, así que solo alguien con el permiso Gestionar servidor puede consultar sus pedidos y cambiar eso con `/tienda ajustes privacidad`.",
    bad_uuid:
      "Eso no es un ID de pedido. Un ID se parece a `3f2a91bc-5d0e-4c1a-9b7e-0123456789ab`: cópialo de un aviso o de `/pedidos`.",
    bad_token:
      "Eso no puede ser un token de la API: está vacío o tiene caracteres no válidos. No se guardó nada. Copia el token completo y usa `/tienda conectar` de nuevo.",
    bad_currency: "Eso no es una moneda. No se cambió nada. Usa un código de tres letras, como `USD`, `MXN` o `EUR`.",
    bad_page: (lastPage) => `Esa página no existe. Escribe un número del 1 al ${lastPage}.`,
    bad_day: (today) => `Eso no es una fecha. Escribe año, mes y día, como \`${today}\`, o \`hoy\` o \`ayer\`.`,
    days_reversed: "El primer día es posterior al último. Intercambia `desde` y `hasta`.",
    bad_reminder:
      "Recordatorio no válido. No se cambió nada. `tras` es un tiempo de 1 minuto a 7 días, como `30 minutos` o `2 horas`, u `off`; `silencio` es un intervalo de horas, como `22-8`; `zona` es una de la lista.",
    export_running: "Ya tienes una exportación en curso. Espera a que termine o detenla con **Cancelar**.",
    exports_full: "Hay demasiadas exportaciones en curso en este momento. Inténtalo de nuevo en unos minutos.",
    import_broken: (line) =>
      `Este archivo CSV tiene un error en la línea ${line}: no se sabe dónde termina una celda. No se creó nada. Guárdalo de nuevo como CSV (UTF-8) y envíalo otra vez.`,
    import_columns: (columns) =>
      `Faltan columnas en el archivo: ${columns}. No se creó nada. La primera fila debe tener los nombres de las columnas, como en el archivo de \`/exportar productos\`, que también trae el \`categoryId\` de cada producto. Son obligatorias \`title\`, \`price\` y \`categoryId\`.`,
    import_twice: (column) =>
      `El archivo tiene la columna ${column} más de una vez. No se creó nada. Deja solo una y envía el archivo de nuevo.`,
    import_empty: "El archivo no tiene productos: no hay nada debajo de la primera fila. No se creó nada.",
    import_long: "El archivo tiene demasiadas filas: el límite es 1000. No se creó nada. Divídelo en varios archivos.",
    import_too_large:
      "El archivo es demasiado grande: el límite es 1 MiB. No se creó nada. Divídelo en varios archivos.",
    import_not_text:
      "El archivo no es texto en UTF-8. No se creó nada. Guárdalo como **CSV UTF-8** en tu hoja de cálculo y envíalo de nuevo.",
    import_unread:
      "No se pudo descargar el archivo de Discord. No se envió nada a la tienda. Envía el archivo de nuevo.",
    import_changed:
      "El archivo ya no es el que se mostró, o sus precios ahora se leerían de otra forma. No se envió nada a la tienda. Envía el archivo de nuevo.",
    import_readings_full:
      "Se están leyendo otros archivos en este momento. No se envió nada a la tienda. Inténtalo de nuevo en un momento.",
    full: "El bot no tiene más espacio en este momento, así que no se pudo terminar. Lo que ya estaba guardado no se perdió. Inténtalo de nuevo en una hora.",
    import_running:
      "Ya hay una importación en curso en este servidor. Espera a que termine o detenla con **Cancelar**. Si el bot se reinició mientras tanto, inténtalo de nuevo en medio minuto.",
    imports_full:
      "Hay demasiadas importaciones en curso en este momento. No se creó nada. Inténtalo de nuevo en unos minutos.",
    stats_running:
      "Ya se están leyendo los pedidos para estadísticas o para un archivo. Inténtalo de nuevo en un minuto.",
    stats_late:
      "Hay más pedidos de los que se pueden leer en los 14 minutos que permite Discord. Pide un período más corto.",
    stats_ending: "El bot se detuvo mientras leía los pedidos. Usa el comando de nuevo en un minuto.",
    bad_zone:
      "Eso no es una zona horaria. No se cambió nada. Empieza a escribir una ciudad, como `America/Sao_Paulo`, y elígela en la lista.",
    bad_hour: "Eso no es una hora. No se cambió nada. Escribe un número entero de 0 a 23.",
    digest_off: "El resumen ya está desactivado. Actívalo con `/resumen activar`.",
    channel_gone:
      "Ese canal ya no existe o el bot no puede verlo. No se publicó nada. Los pedidos que iban allí están guardados: elige otro canal con `/avisos activar`.",
    forbidden:
      "Al bot le faltan permisos en ese canal, así que no se publicó nada. Permítele ver el canal y enviar mensajes en él, y luego inténtalo de nuevo.",
    forbidden_without: (permissions) =>
      `Al bot le faltan permisos en ese canal, así que no se publicó nada. Dale: ${permissions}. Luego inténtalo de nuevo.`,
    discord_down: "Discord no aceptó el mensaje. Los pedidos están guardados y se publicarán en cuanto sea posible.",
    public_not_theirs:
      "Todos en este servidor pueden leer ese canal, y allí los avisos mostrarían clientes. Solo alguien con el permiso Gestionar servidor puede permitirlo. No se cambió nada. Elige un canal privado o habla con esa persona.",
    customers_not_theirs:
      "Los avisos de este servidor muestran clientes, así que solo alguien con el permiso Gestionar servidor puede elegir otro canal. No se cambió nada. Habla con esa persona.",
    role_not_theirs:
      "No puedes mencionar ese rol en ese canal, así que no puedes hacer que el bot lo mencione. No se cambió nada. Alguien con el permiso Gestionar servidor puede elegirlo o permitir que todos lo mencionen.",
    channel_not_theirs:
      "No puedes ver ese canal o escribir en él, así que no puedes hacer que el bot escriba allí. No se cambió nada. Elige un canal en el que puedas escribir o habla con alguien con el permiso Gestionar servidor.",
    foreign_channel: "Ese canal no es de este servidor. No se cambió nada. Elige uno de la lista.",
    foreign_role: "Ese rol no es de este servidor. No se cambió nada. Elige uno de la lista.",
    discord_silent:
      "Discord no responde en este momento, así que el bot no puede comprobar quién puede leer ese canal. No se cambió nada. Inténtalo de nuevo en unos minutos o habla con alguien con el permiso Gestionar servidor.",
    bad_category: "Eso no es una categoría. Elige una de las sugerencias o pega su ID.",
    bad_title: "Un producto necesita un título legible.",
    bad_picture:
      "Eso no es un enlace de imagen. Los enlaces empiezan con `https://` o `http://`; separa varios (hasta diez) con espacios.",
    bad_video: "Eso no es un enlace de video de YouTube. Empieza con `https://www.youtube.com/` o `https://youtu.be/`.",
    bad_price: "Un precio es un número, como `49,90`.",
    bad_quantity: "La cantidad mínima es un número entero, 1 o más.",
    stock_too_large: "El archivo de stock es demasiado grande: el límite es 1 MiB.",
    stock_not_text: "El archivo de stock debe ser texto sin formato en UTF-8 y no puede estar vacío.",
    stock_twice: "Hay stock en el campo de texto y también en un archivo. Usa solo uno de los dos.",
    stock_unread: "No se pudo descargar de Discord el archivo de stock. Súbelo de nuevo.",
    alerts_off: "Los avisos están desactivados en este servidor. Actívalos con `/avisos activar`.",
    already_done: "Esto ya se había hecho y no se repitió.",
    cancelled: "Ese borrador se canceló. Usa el comando de nuevo para empezar otro.",
    internal:
      "Algo falló en el bot y esto no se completó. Inténtalo de nuevo. Si vuelve a pasar, da la referencia a quien administra este bot.",
  },
});
