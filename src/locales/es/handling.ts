import type { Texts } from "../shape.ts";
import { plural } from "./plural.ts";

export const handling: Texts["handling"] = {
  take: "Atender",
  done: "Terminar",
  giveBack: "Liberar",
  takenBy: (who, when) => `Empezó a atenderlo ${who}, ${when}`,
  doneBy: (who, when) => `Lo terminó ${who}, ${when}`,
  givenBackBy: (who, when) => `Lo liberó ${who}, ${when}`,
  hasIt: (who, when) => `${who} atiende este pedido: empezó ${when}.`,
  youHaveIt: (when) => `Ya atiendes este pedido: empezaste ${when}.`,
  isDone: (who, when) => `${who} terminó este pedido ${when}.`,
  notTheirs: (who, when) =>
    `${who} atiende este pedido: empezó ${when}. Solo esa persona, o alguien con el permiso Administrar servidor, puede hacer eso.`,
  isFree: "Nadie atiende este pedido. Presiona **Atender** para encargarte de él.",
  waits: "Pedido aún en espera",
  wait: (count) => plural(count, { one: `${count} pedido aún en espera`, other: `${count} pedidos aún en espera` }),
  nobody: "Nadie lo atiende.",
  remindersOff: "Los recordatorios están desactivados. Actívalos con `/avisos recordar después: 30 minutos`.",
  remindersAfter: (after) =>
    `Recordatorios activados: uno por cada pedido que siga sin atender o sin terminar ${after} después de su aviso. Un aviso publicado mientras los recordatorios estaban desactivados no tiene recordatorio.`,
  quiet: (from, to, zone) => `Sin recordatorios de ${from} a ${to} (${zone}).`,
};
