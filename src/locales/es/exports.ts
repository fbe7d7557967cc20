import { longestReplyMinutes } from "../../basics/limits/limits-in-texts.ts";
import type { Texts } from "../shape.ts";

export const exports: Texts["exports"] = {
  today: "Hoy",
  yesterday: "Ayer",
  daysAgo: (days) => `Hace ${days} días`,
  thisMonth: "Primer día de este mes",
  lastMonthBegan: "Primer día del mes pasado",
  lastMonthEnded: "Último día del mes pasado",
  reading: { orders: "Leyendo pedidos", products: "Leyendo productos" },
  progress: (read, about, written) => `Leídos: ${read} de unos ${about} · En el archivo: ${written}`,
  tooMuch: {
    orders: `Hay más pedidos de los que se pueden leer en los ${longestReplyMinutes} minutos que permite Discord, así que el archivo quedará incompleto. Para uno completo, presiona **Cancelar** y elige días con \`desde\` y \`hasta\`.`,
    products: `Hay más productos de los que se pueden leer en los ${longestReplyMinutes} minutos que permite Discord, así que el archivo quedará incompleto.`,
  },
  done: {
    orders: (count) => `Pedidos en el archivo: **${count}**`,
    products: (count) => `Productos en el archivo: **${count}**`,
  },
  doneInParts: {
    orders: (count, files) => `Pedidos en ${files} archivos: **${count}**`,
    products: (count, files) => `Productos en ${files} archivos: **${count}**`,
  },
  days: (zone) => `Los días corresponden a la zona horaria ${zone}.`,
  form: "Las horas están en UTC, los importes usan punto decimal y las columnas se separan con comas.",
  part: (number) => `Parte ${number}`,
  none: {
    orders: "No se encontraron pedidos, así que no hay archivo.",
    products: "No se encontraron productos, así que no hay archivo.",
  },
  customersHidden:
    "El archivo no incluye a los clientes por el ajuste de privacidad de este servidor. Quien tiene el permiso Administrar servidor sí los recibe.",
  customersMasked:
    "Los clientes están ocultos en parte por el ajuste de privacidad de este servidor. Quien tiene el permiso Administrar servidor los recibe completos.",
  undated: (count) => `Excluidos, porque la tienda no indica su fecha: ${count}.`,
  uncertain:
    "Las páginas de la lista de la tienda no encajaban, así que puede faltar algo. Para estar seguro, usa el comando de nuevo.",
  incomplete: (read, about) => `El archivo está incompleto: se leyeron ${read} de unos ${about}.`,
  noFile: "Nada de lo que se leyó hasta ahora entra en el archivo, así que no hay archivo.",
  late: "Se acabó el tiempo que permite Discord.",
  chooseDays: "Para el resto, elige días con `desde` y `hasta`.",
  ending: "El bot se detuvo mientras tanto. Usa el comando de nuevo en un minuto.",
  broke: "Usa el comando de nuevo en unos minutos.",
  cancelled: {
    orders: "Exportación cancelada. Para tener un archivo, usa `/exportar pedidos` de nuevo.",
    products: "Exportación cancelada. Para tener un archivo, usa `/exportar productos` de nuevo.",
    stats: "Cancelado. Para ver las estadísticas, usa `/estadísticas` de nuevo.",
  },
};
