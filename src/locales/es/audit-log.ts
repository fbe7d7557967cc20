import { logDays } from "../../basics/limits/limits-in-texts.ts";
import type { Texts } from "../shape.ts";

export const auditLog: Texts["auditLog"] = {
  title: "Registro",
  empty: `No se registró nada en los últimos ${logDays} días.`,
  kept: `Quién hizo qué en los últimos ${logDays} días, de lo más reciente a lo más antiguo. \`/tienda desconectar\` borra también este registro.`,
  times: (count, first) => `${count} veces, la primera ${first}`,
  timesOfSeveral: (count, first) => `${count} veces con valores distintos, la primera ${first}`,
  unknown: "algo que esta versión del bot no reconoce",
  connected: "conectó la tienda",
  set: (setting, value) => `${setting}: **${value}**`,
  alertsOn: (channel) => `activó los avisos en ${channel}`,
  alertsMoved: (channel) => `movió los avisos a ${channel}`,
  alertsChanged: (channel) => `cambió los avisos en ${channel}`,
  alertsOff: "desactivó los avisos",
  productCreated: (id) => `creó el producto ${id}`,
  exported: (what) => `exportó: **${what}**`,
  importStarted: (count) => `empezó a importar productos: **${count}**`,
  reminders: "Recordatorios",
  off: "desactivados",
  digestSet: (channel) => `activó el resumen en ${channel}`,
  digestOff: "desactivó el resumen",
  routeAdded: (rule) => `creó la regla **${rule}**`,
  routeMoved: (rule) => `movió la regla **${rule}**`,
  routeRemoved: (rule) => `borró la regla **${rule}**`,
};
