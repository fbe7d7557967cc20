import { importDays, titleMax, typedMax } from "../../basics/limits/limits-in-texts.ts";
import type { Texts } from "../shape.ts";
import { number, plural } from "./plural.ts";

export const imports: Texts["imports"] = {
  faulty: (count, shown) =>
    plural(count, {
      one: "Hay un error en el archivo, así que **no se creó nada**. Corrígelo y envía el archivo de nuevo.",
      other: `Hay ${shown} errores en el archivo, así que **no se creó nada**. Corrígelos y envía el archivo de nuevo.`,
    }),
  allFaults: "El archivo de abajo los muestra todos.",
  fault: (row, column, what) => `Fila ${row}, \`${column}\`: ${what}`,
  faultOfRow: (row, what) => `Fila ${row}: ${what}`,
  faults: {
    bad_title: "falta el título o no es legible",
    bad_price: "no es un precio: debe ser un número de 0 a un billón, como 49.90 o 49,90",
    bad_decimals: "tiene demasiados dígitos después del separador decimal; escribe los miles sin separador, como 1234",
    bad_category: "no es el ID de una categoría, como lo trae el archivo de /exportar productos",
    bad_picture: "no son enlaces a imágenes: hasta diez que empiecen con https:// o http://, separados por espacios",
    bad_type: "debe ser DEFAULT",
    too_long: `demasiado largo: un título puede tener ${titleMax} caracteres, una descripción ${number(typedMax)}`,
    more_cells: "más celdas que columnas",
  },
  preview: (count, shown) =>
    plural(count, {
      one: "**Vista previa** · 1 producto en el archivo, todavía no se ha creado nada",
      other: `**Vista previa** · ${shown} productos en el archivo, todavía no se ha creado nada`,
    }),
  before: (count, shown) =>
    plural(count, {
      one: `Una importación de los últimos ${importDays} días ya creó 1 de ellos, que queda excluido. Para otro igual, usa **Copiar** en \`/productos\`.`,
      other: `Una importación de los últimos ${importDays} días ya creó ${shown} de ellos, que quedan excluidos. Para otros iguales, usa **Copiar** en \`/productos\`.`,
    }),
  allBefore: "No queda nada por crear.",
  sentBefore: (count, shown) =>
    plural(count, {
      one: "⚠️ 1 de ellos ya se envió a la tienda, que no lo confirmó. **Crear** lo busca primero en la tienda y solo lo envía de nuevo si no está.",
      other: `⚠️ ${shown} de ellos ya se enviaron a la tienda, que no los confirmó. **Crear** los busca primero en la tienda y solo envía de nuevo lo que no está.`,
    }),
  alike: (count, shown) =>
    plural(count, {
      one: "⚠️ 1 fila parece estar ya en la tienda: tiene un ID o el título de uno de los productos más recientes. Una importación no cambia ningún producto: de esta fila sale uno nuevo.",
      other: `⚠️ ${shown} filas parecen estar ya en la tienda: tienen un ID o el título de uno de los productos más recientes. Una importación no cambia ningún producto: de estas filas salen productos nuevos.`,
    }),
  understood: (row, typed, amount) => `⚠️ Fila ${row}: ${typed} se entendió como **${amount}**.`,
  unknownColumns: (columns) => `⚠️ Columnas desconocidas, excluidas: ${columns}`,
  noStock: "-# Los productos se crean sin stock, porque estos archivos no lo contienen. Agrégalo en la tienda.",
  row: (row) => `Fila ${row}`,
  pictures: (count, shown) => plural(count, { one: "1 imagen", other: `${shown} imágenes` }),
  createRemaining: "Crear lo que falta",
  running: "Creando productos",
  progress: (done, all) => `${done} de ${all} creados`,
  refused: (count, shown) =>
    plural(count, {
      one: "Rechazado por la tienda: **1**",
      other: `Rechazados por la tienda: **${shown}**`,
    }),
  unclear: (count, shown) =>
    plural(count, {
      one: "⚠️ Se envió 1, pero la tienda no lo confirmó: **puede estar en la tienda o no**. Espera un minuto y presiona **Crear lo que falta**: el bot lo busca y solo lo envía de nuevo si no está.",
      other: `⚠️ Se enviaron ${shown}, pero la tienda no los confirmó: **pueden estar en la tienda o no**. Espera un minuto y presiona **Crear lo que falta**: el bot los busca y solo envía de nuevo lo que no está.`,
    }),
  ifCut:
    "-# Si aquí no cambia nada porque el bot se reinició, espera medio minuto y presiona **Cancelar** o envía el mismo archivo de nuevo: la importación continúa, y nada se crea dos veces.",
  done: (count, shown) => plural(count, { one: "Productos creados: **1**", other: `Productos creados: **${shown}**` }),
  leftOut: (shown) => `Creados por una importación anterior, excluidos: ${shown}`,
  open: (shown) => `No enviados: **${shown}**`,
  cancelled: "La importación se canceló. Lo que ya se creó sigue en la tienda.",
  late: "Se acabó el tiempo que permite Discord.",
  ending: "El bot se detuvo mientras tanto. Puedes continuar en un minuto.",
  stopped: "La importación se detuvo:",
  tooUnclear: "La importación se detuvo, porque la tienda no confirmó varios productos.",
  goOn: `Para continuar, presiona **Crear lo que falta** o envía el mismo archivo de nuevo en los próximos ${importDays} días. Nada se crea dos veces.`,
  stopping:
    "La importación se está deteniendo. Lo que ya se creó sigue en la tienda; el mensaje de la importación mostrará pronto el resultado de cada producto. Si no cambia, el bot se reinició: presiona **Cancelar** otra vez en medio minuto.",
  over: `Esa importación ya no está en curso: terminó o el bot se reinició. Lo que ya se creó sigue en la tienda. Para continuar, presiona **Crear lo que falta** o envía el mismo archivo de nuevo en los próximos ${importDays} días. Nada se crea dos veces.`,
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
};
