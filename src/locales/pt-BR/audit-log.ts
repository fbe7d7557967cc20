import { logDays } from "../../basics/limits/limits-in-texts.ts";
import type { Texts } from "../shape.ts";

export const auditLog: Texts["auditLog"] = {
  title: "Registro",
  empty: `Nada foi registrado nos últimos ${logDays} dias.`,
  kept: `Quem fez o quê nos últimos ${logDays} dias, do mais recente ao mais antigo. \`/loja desconectar\` apaga também este registro.`,
  times: (count, first) => `${count} vezes, a primeira em ${first}`,
  timesOfSeveral: (count, first) => `${count} vezes com valores diferentes, a primeira em ${first}`,
  unknown: "algo que esta versão do bot não reconhece",
  connected: "conectou a loja",
  set: (setting, value) => `${setting}: **${value}**`,
  alertsOn: (channel) => `ativou os avisos em ${channel}`,
  alertsMoved: (channel) => `mudou os avisos para ${channel}`,
  alertsChanged: (channel) => `alterou os avisos em ${channel}`,
  alertsOff: "desativou os avisos",
  productCreated: (id) => `criou o produto ${id}`,
  exported: (what) => `exportou: **${what}**`,
  importStarted: (count) => `começou a importar produtos: **${count}**`,
  reminders: "Lembretes",
  off: "desativados",
  digestSet: (channel) => `ativou o resumo em ${channel}`,
  digestOff: "desativou o resumo",
  routeAdded: (rule) => `criou a regra **${rule}**`,
  routeMoved: (rule) => `moveu a regra **${rule}**`,
  routeRemoved: (rule) => `apagou a regra **${rule}**`,
};
