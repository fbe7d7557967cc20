import {
  longestReminderDays,
  longestReplyMinutes,
  mostImportCells,
  mostImportRows,
  mostTypedStatuses,
  uploadMebibytes,
} from "../../basics/limits/limits-in-texts.ts";
import type { Texts } from "../shape.ts";
import { number, plural } from "./plural.ts";

export const problems: Texts["problems"] = {
  unauthorized:
    "La tienda rechazó el token de la API o no permite hacer esto con él. No se cambió nada. Conecta uno nuevo con `/tienda conectar`: está en el panel de administración de la tienda, en Configuración, luego Open API.",
  not_found:
    "La tienda no tiene nada con ese ID. Puede estar mal escrito, borrado o ser de una tienda conectada antes.",
  invalid:
    "La tienda rechazó la solicitud y no dijo por qué. No se cambió nada. Si escribiste algo, revísalo e inténtalo de nuevo. Si no, avisa a quien administra este bot.",
  invalid_because: (detail) =>
    `La tienda rechazó la solicitud. No se cambió nada. Respuesta de la tienda: “${detail}”. Si se trata de algo que escribiste, corrígelo e inténtalo de nuevo.`,
  rate_limited: (seconds) =>
    `La tienda recibe demasiadas solicitudes. No se cambió nada. Inténtalo de nuevo en ${plural(seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
  unavailable:
    "No se puede acceder a la tienda en este momento, o la tienda tiene una falla. No se cambió nada. Inténtalo de nuevo en unos minutos.",
  timeout: "La tienda tardó demasiado en responder. Inténtalo de nuevo en un minuto.",
  malformed:
    "No se pudo entender la respuesta de la dirección de la tienda. No se cambió nada. Si sigue así, avisa a quien administra este bot: la dirección puede estar mal.",
  too_large: "La respuesta de la tienda es demasiado grande. Acota la búsqueda, por ejemplo con un estado o un título.",
  ambiguous:
    "El producto se envió, pero la tienda no respondió: puede que se haya creado o no. El bot no lo envía de nuevo por su cuenta. Busca el título con `/productos` antes de intentarlo de nuevo.",
  not_connected:
    "Este servidor todavía no tiene una tienda conectada. Alguien con el permiso Administrar servidor puede conectar una con `/tienda conectar`.",
  not_allowed: "Solo puede usar esto quien tiene el permiso Administrar servidor o el rol del equipo.",
  managers_only: "Solo puede usar esto quien tiene el permiso Administrar servidor.",
  someone_elses: "Solo puede usar esto quien usó el comando. Para tener tu propia respuesta, usa el comando.",
  expired: "Esto ya venció. Usa el comando de nuevo para volver a empezar.",
  unknown_action: "Esto es de una versión anterior del bot. Usa el comando de nuevo.",
  guild_only: "Esto solo funciona en un servidor, no en mensajes directos. Usa el comando en el servidor de tu tienda.",
  cooldown: (seconds) =>
    `El bot recibió demasiadas solicitudes. Inténtalo de nuevo en ${plural(seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
  storage:
    "El bot no puede acceder a sus propios datos en este momento, así que esto no se hizo. Lo que ya estaba guardado no se perdió. Inténtalo de nuevo en unos minutos.",
  undecryptable:
    "Ya no se puede leer el token de la API guardado, probablemente porque cambió la clave de cifrado del bot. Tus demás ajustes se conservan. Conecta la tienda de nuevo con `/tienda conectar`.",
  bad_email: "Eso no es un correo. Escribe uno como `nombre@ejemplo.com` o cópialo de un pedido.",
  customers_hidden:
    "El ajuste de privacidad de este servidor oculta a los clientes, así que solo alguien con el permiso Administrar servidor puede consultar sus pedidos y cambiar eso con `/tienda ajustes privacidad`.",
  bad_uuid:
    "Eso no es un ID de pedido, y ningún pedido reciente empieza así. Elige una de las sugerencias que aparecen mientras escribes o pega un ID completo, como `3f2a91bc-5d0e-4c1a-9b7e-0123456789ab`.",
  bad_token:
    "Eso no puede ser un token de la API: está vacío o tiene caracteres no válidos. No se guardó nada. Copia el token completo y usa `/tienda conectar` de nuevo.",
  bad_currency: "Eso no es una moneda. No se cambió nada. Usa un código de tres letras, como `USD`, `MXN` o `EUR`.",
  bad_page: (lastPage) => `Esa página no existe. Escribe un número del 1 al ${lastPage}.`,
  bad_day: (today) => `Eso no es una fecha. Escribe año, mes y día, como \`${today}\`, o \`hoy\` o \`ayer\`.`,
  days_reversed: "El primer día es posterior al último. Intercambia `desde` y `hasta`.",
  reminders_off:
    "Los recordatorios están desactivados. No se cambió nada. Para activarlos, indica también `después`, como `30 minutos`.",
  bad_reminder: `Recordatorio no válido. No se cambió nada. \`después\` es un tiempo de 1 minuto a ${longestReminderDays} días, como \`30 minutos\` o \`2 horas\`, u \`off\` para desactivar los recordatorios; \`silencio\` es un intervalo de horas, como \`22-8\`; \`zona\` es la del período de silencio, de la lista.`,
  export_running: "Ya tienes una exportación en curso. Espera a que termine o detenla con **Cancelar**.",
  exports_full: "Hay demasiadas exportaciones en curso en este momento. Inténtalo de nuevo en unos minutos.",
  import_broken: (line) =>
    `Este archivo CSV tiene un error en la línea ${line}: no se sabe dónde termina una celda. No se creó nada. Guárdalo de nuevo como CSV (UTF-8) y envíalo otra vez.`,
  import_wide: (line) =>
    `La línea ${line} del archivo tiene más de ${mostImportCells} celdas. No se creó nada. Borra las columnas que no son de los productos y envía el archivo de nuevo.`,
  import_columns: (columns) =>
    `Faltan columnas en el archivo: ${columns}. No se creó nada. La primera fila debe tener los nombres de las columnas, como en el archivo de \`/exportar productos\`, que también trae el \`categoryId\` de cada producto. Son obligatorias \`title\`, \`price\` y \`categoryId\`.`,
  import_twice: (column) =>
    `El archivo tiene la columna ${column} más de una vez. No se creó nada. Deja solo una y envía el archivo de nuevo.`,
  import_empty:
    "El archivo no tiene productos: no hay nada debajo de la primera fila. No se creó nada. Agrega una fila por cada producto y envía el archivo de nuevo.",
  import_long: `El archivo tiene demasiadas filas: el límite es ${number(mostImportRows)}. No se creó nada. Divídelo en varios archivos.`,
  import_too_large: `El archivo es demasiado grande: el límite es ${uploadMebibytes} MiB. No se creó nada. Divídelo en varios archivos.`,
  import_not_text:
    "El archivo no es texto en UTF-8. No se creó nada. Guárdalo como **CSV UTF-8** en tu hoja de cálculo y envíalo de nuevo.",
  import_unread: "No se pudo descargar el archivo de Discord. No se envió nada a la tienda. Envía el archivo de nuevo.",
  import_changed:
    "El archivo ya no es el que se mostró, o sus precios ahora se leerían de otra forma. No se envió nada a la tienda. Envía el archivo de nuevo.",
  import_readings_full:
    "Se están leyendo otros archivos en este momento. No se envió nada a la tienda. Inténtalo de nuevo en un momento.",
  full: "El bot no tiene más espacio en este momento, así que esto no se pudo terminar. Lo que ya estaba guardado no se perdió. Inténtalo de nuevo en una hora.",
  import_running:
    "Ya hay una importación en curso en este servidor. Espera a que termine o detenla con **Cancelar**. Si el bot se reinició mientras tanto, inténtalo de nuevo en medio minuto.",
  imports_full:
    "Hay demasiadas importaciones en curso en este momento. No se creó nada. Inténtalo de nuevo en unos minutos.",
  stats_running:
    "Ya se están leyendo los pedidos para estadísticas o para un archivo. Inténtalo de nuevo en un minuto.",
  stats_late: `Hay más pedidos de los que se pueden leer en los ${longestReplyMinutes} minutos que permite Discord. Pide un período más corto.`,
  ending: "El bot se detuvo mientras tanto. No se cambió nada. Usa el comando de nuevo en un minuto.",
  too_many_statuses: `Son más de ${mostTypedStatuses} estados. No se cambió nada. Quita algunos e inténtalo de nuevo.`,
  bad_zone:
    "Eso no es una zona horaria. No se cambió nada. Empieza a escribir una ciudad, como `America/Mexico_City`, y elígela en la lista.",
  digest_off: "El resumen ya está desactivado. Actívalo con `/resumen activar`.",
  channel_gone:
    "Ese canal ya no existe o el bot no puede verlo. No se publicó nada. Los pedidos que iban allí están guardados: elige otro canal con `/avisos activar`.",
  forbidden:
    "Al bot le faltan permisos en ese canal, así que no se publicó nada. Permítele ver el canal y enviar mensajes en él, y luego inténtalo de nuevo.",
  forbidden_without: (permissions) =>
    `Al bot le faltan permisos en ese canal, así que no se publicó nada. Dale: ${permissions}. Luego inténtalo de nuevo.`,
  discord_down:
    "Discord no confirmó el mensaje, así que puede faltar en el canal. Inténtalo de nuevo en un minuto. `/avisos estado` muestra si los avisos están activados.",
  public_not_theirs:
    "Todos en este servidor pueden leer ese canal, y allí los avisos mostrarían datos de clientes. Solo alguien con el permiso Administrar servidor puede permitirlo. No se cambió nada. Elige un canal privado o habla con esa persona.",
  customers_not_theirs:
    "Los avisos de este servidor muestran datos de clientes, así que solo alguien con el permiso Administrar servidor puede elegir otro canal. No se cambió nada. Habla con esa persona.",
  role_not_theirs:
    "No puedes mencionar ese rol en ese canal, así que no puedes hacer que el bot lo mencione. No se cambió nada. Alguien con el permiso Administrar servidor puede elegirlo o permitir que todos lo mencionen.",
  channel_not_theirs:
    "No puedes ver ese canal o escribir en él, así que no puedes hacer que el bot escriba allí. No se cambió nada. Elige un canal en el que puedas escribir o habla con alguien que tenga el permiso Administrar servidor.",
  foreign_channel: "Ese canal no es de este servidor. No se cambió nada. Elige uno de la lista.",
  foreign_role: "Ese rol no es de este servidor. No se cambió nada. Elige uno de la lista.",
  discord_silent:
    "Discord no responde en este momento, así que el bot no puede revisar quién puede leer ese canal. No se cambió nada. Inténtalo de nuevo en unos minutos o habla con alguien que tenga el permiso Administrar servidor.",
  bad_category: "Eso no es una categoría. Elige una de las sugerencias o pega su ID.",
  bad_title: "Un producto necesita un título legible.",
  bad_picture:
    "Eso no es un enlace de imagen. Los enlaces empiezan con `https://` o `http://`; separa varios (hasta diez) con espacios.",
  bad_video:
    "Eso no es un enlace de video de YouTube. Debe empezar con `https://www.youtube.com/` o `https://youtu.be/`.",
  bad_price: "Un precio es un número, como `49.90` o `49,90`.",
  bad_decimals:
    "Este precio tiene demasiados dígitos después del separador decimal. Escríbelo como `49.90` o `49,90`, y los miles sin separador, como `1234`.",
  bad_quantity: "La cantidad mínima es un número entero, 1 o más.",
  stock_too_large: `El archivo de stock es demasiado grande: el límite es ${uploadMebibytes} MiB.`,
  stock_not_text: "El archivo de stock debe ser texto sin formato en UTF-8 y no puede estar vacío.",
  stock_twice: "Hay stock en el campo de texto y también en un archivo. Usa solo uno de los dos.",
  stock_unread: "No se pudo descargar de Discord el archivo de stock. Súbelo de nuevo.",
  alerts_off: "Los avisos están desactivados en este servidor. Actívalos con `/avisos activar`.",
  already_done: "Esto ya se había hecho y no se repitió.",
  cancelled: "Ese borrador se canceló. Usa el comando de nuevo para empezar otro.",
  not_begun:
    "Discord no aceptó la respuesta del bot, así que esto no se hizo. No se cambió nada. Inténtalo de nuevo en un minuto.",
  not_shown:
    "Discord no aceptó la respuesta, así que el bot no puede mostrarla. Puede que lo que pediste ya esté hecho: revísalo antes de intentarlo de nuevo. Si vuelve a pasar, dale la referencia a quien administra este bot.",
  internal:
    "Algo falló en el bot y esto no se completó. Inténtalo de nuevo. Si vuelve a pasar, dale la referencia a quien administra este bot.",
};

export const failures: Texts["failures"] = {
  unauthorized: "La tienda rechazó el token de la API. Si sigue así, conecta uno nuevo con `/tienda conectar`.",
  rate_limited: "La tienda recibió demasiadas solicitudes.",
  unavailable: "No se pudo acceder a la tienda, o la tienda tenía una falla.",
  timeout: "La tienda tardó demasiado en responder.",
  unusable: "El bot no pudo usar la respuesta de la tienda. Si sigue así, avisa a quien administra este bot.",
  undecryptable:
    "No se pudo leer el token de la API guardado, probablemente porque cambió la clave de cifrado del bot. Conecta la tienda de nuevo con `/tienda conectar`.",
  storage: "El bot no pudo acceder a sus propios datos. Si sigue así, avisa a quien administra este bot.",
  channel_gone:
    "No se pudo publicar un mensaje, porque su canal ya no existe o el bot no puede verlo. Elige otro canal o permite que el bot vea este.",
  forbidden:
    "No se pudo publicar un mensaje, porque al bot le faltan permisos en su canal. Permite que el bot vea el canal y envíe mensajes en él, o elige otro.",
  undelivered: "Discord no confirmó la publicación de un mensaje.",
  internal: "Algo falló en el bot. Si sigue así, avisa a quien administra este bot.",
};

export const permissions: Texts["permissions"] = {
  ViewChannel: "Ver canal",
  SendMessages: "Enviar mensajes",
  EmbedLinks: "Insertar enlaces",
  ReadMessageHistory: "Leer el historial de mensajes",
  MentionEveryone: "Mencionar @everyone, @here y todos los roles",
};
