import type { Texts } from "../shape.ts";

export const firstStart: Texts["firstStart"] = {
  title: "Shopbell: configuración inicial",
  need: "Necesitas dos cosas: el token de un bot de Discord y la dirección de la API de tu tienda.",
  portal: "El token, en el portal de desarrolladores de Discord:",
  newApplication: "1. New Application: ponle un nombre (será el nombre del bot) y presiona Create.",
  resetToken: "2. Bot, en el menú de la izquierda: presiona Reset Token y luego Copy.",
  askToken: "Pega el token. No se muestra.",
  noToken: "Pega el token que mostró Reset Token.",
  tokenShape: "Un token de bot es una sola palabra, copiada entera del portal de desarrolladores.",
  asking: "Preguntando a Discord…",
  tokenRefused: "Discord no conoce este token. Reset Token crea uno nuevo; el anterior deja de funcionar.",
  discordAway: (reason) =>
    `No se pudo acceder a Discord (${reason}). Revisa la red de esta computadora, DISCORD_API_URL, si la definiste, y https://discordstatus.com.`,
  bot: (name) => `Este es el bot ${name}.`,
  whatNow: "¿Qué quieres hacer?",
  askStore: "Dirección de la API de tu tienda",
  storeExample: "https://api.ejemplo.com",
  noStore: "Escribe la dirección, como https://api.ejemplo.com. El bot no funciona sin ella.",
  storeShape: {
    none: "Esto no es una dirección; una dirección es como https://api.ejemplo.com. El token de la API de la tienda se pide después, en Discord.",
    http: "Esta dirección no sirve: debe empezar con https://.",
  },
  storeGiven: (address) => `La API de la tienda está en ${address}, como dice STORE_API_URL.`,
  storeFound: (host) => `${host} pide un token, como la API de una tienda.`,
  storeOther: (host, status) =>
    `En ${host} no responde la API de una tienda, sino otra cosa, como una página web (respuesta ${status}).`,
  storeNone: (host, reason) => `No se pudo acceder a ${host} (${reason}). ¿La dirección es correcta?`,
  storeWhere:
    "La dirección de la API suele ser distinta de la de la tienda: búscala en el panel de tu tienda, en Configuración, Open API, o pregunta a su proveedor.",
  otherAddress: "Escribir otra dirección",
  keepAddress: "Conservar esta",
  kept: "Para corregirla después, cambia STORE_API_URL en el archivo .env de esta carpeta, o borra ese archivo e inicia de nuevo.",
  keptGiven:
    "Para corregirla, cambia STORE_API_URL donde la definiste e inicia de nuevo. Tiene prioridad sobre el archivo .env.",
  written: "Las dos cosas están ahora en el archivo .env. No se lo muestres a nadie.",
  notWritten: (reason) =>
    `No se pudo escribir el archivo .env (${reason}). No se guardó nada. Corrígelo e inicia de nuevo.`,
  exists: "Mientras tanto apareció un archivo .env, y se dejó como está. Inicia de nuevo.",
  invite: "Ahora invita al bot. Abre este enlace, elige tu servidor y presiona Autorizar:",
  goesOn: "El bot está iniciando. Usa Ctrl-C para detenerlo.",
  cancelled: "Cancelado. No se guardó nada.",
};
