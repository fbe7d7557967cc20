import type { Texts } from "../shape.ts";
import { plural } from "./plural.ts";

export const stats: Texts["stats"] = {
  title: (span) => `Pedidos · ${span}`,
  notOver: "El día de hoy todavía no termina.",
  orders: "Pedidos",
  sold: "Vendido",
  soldOf: (amount, count) => `${amount} (pedidos: ${count})`,
  before: (days, amount) =>
    plural(days, { one: `día anterior: ${amount}`, other: `${days} días anteriores: ${amount}` }),
  waitsForPayment: "Pendiente de pago",
  ofAll: "todos los pedidos",
  ofSold: "solo vendidos",
  statuses: "Por estado",
  products: "Productos más vendidos",
  methods: "Métodos de pago",
  hours: "Horas con más movimiento",
  pieces: (title, pieces) => `${title} × ${pieces}`,
  line: (name, count, amount) => `${name}: ${count} · ${amount}`,
  hourLine: (hours, count) => `${hours}: ${count}`,
  others: "Otros",
  unnamed: "Sin nombre",
  none: "No hay pedidos en este período.",
  against: (span) => `En comparación con ${span}`,
  days: (zone) => `Zona horaria: ${zone}`,
  asOf: (time) => `Actualizado ${time}`,
  soldMeans: "“Vendido” no incluye pedidos pendientes de pago, cancelados ni reembolsados.",
  notWhole:
    "Pueden faltar pedidos: la tienda mostró algunos que no se pueden leer o que no tienen fecha, o las páginas de la lista no encajaban.",
  someProducts:
    "Hay demasiados productos para contarlos uno por uno, así que la lista de los más vendidos puede no ser exacta.",
  reading: "Leyendo pedidos",
  progress: (read, about) => `Leídos: ${read} de unos ${about}.`,
  today: "Hoy hasta ahora",
  push: (span, orders, amount) => `📊 **${span}** · pedidos: ${orders} · vendido: ${amount}`,
  late: (due) => `Este resumen llega tarde: debía salir ${due}, pero el bot no pudo publicarlo en ese momento.`,
  missed: (count) => `Resúmenes anteriores que el bot no pudo publicar: ${count}.`,
  set: {
    day: (channel, next) => `Resumen diario activado en ${channel}. Próximo: ${next}.`,
    week: (channel, next) => `Resumen semanal activado en ${channel}, los lunes. Próximo: ${next}.`,
  },
  zone: (zone, time) => `Zona horaria: **${zone}** (hora actual: ${time}).`,
  isPublic: (channel) => `Todos en este servidor pueden leer ${channel} y verán cuánto vende la tienda.`,
  noPicture: "Sin el permiso **Adjuntar archivos** en ese canal, el resumen llega sin su gráfico.",
  off: "El resumen está desactivado. `/estadísticas` sigue mostrando los números cuando los pidas.",
  chart: {
    byHour: "Pedidos por hora",
    byDay: "Pedidos por día",
    day: (span, from, most, busiest) =>
      `Gráfico de barras de los pedidos por hora del día, ${span}. Más pedidos: ${most}, ${busiest}. Barras finas: ${from}.`,
    days: (span, from, most, busiest) =>
      `Gráfico de barras de los pedidos por día, ${span}. Más pedidos: ${most}, el ${busiest}. Barras finas: ${from}.`,
  },
};
