import type { Texts } from "../shape.ts";
import { plural } from "./plural.ts";

export const handling: Texts["handling"] = {
  take: "Assumir",
  done: "Concluir",
  giveBack: "Deixar livre",
  takenBy: (who, when) => `Assumido por ${who}, ${when}`,
  doneBy: (who, when) => `Concluído por ${who}, ${when}`,
  givenBackBy: (who, when) => `Deixado livre por ${who}, ${when}`,
  hasIt: (who, when) => `${who} está com este pedido: assumiu ${when}.`,
  youHaveIt: (when) => `Este pedido já está com você: você assumiu ${when}.`,
  isDone: (who, when) => `${who} concluiu este pedido ${when}.`,
  notTheirs: (who, when) =>
    `${who} assumiu este pedido ${when}. Só essa pessoa, ou alguém com a permissão Gerenciar servidor, pode fazer isso.`,
  isFree: "Ninguém está com este pedido. Clique em **Assumir** para ficar com ele.",
  waits: "Pedido ainda não concluído",
  wait: (count) =>
    plural(count, { one: `${count} pedido ainda não concluído`, other: `${count} pedidos ainda não concluídos` }),
  nobody: "Ninguém assumiu.",
  remindersOff: "Os lembretes estão desativados. Ative com `/avisos lembrar após: 30 minutos`.",
  remindersAfter: (after) =>
    `Lembretes ativados: um por pedido que ainda esteja sem atendimento ou sem conclusão ${after} após o aviso. Um aviso publicado enquanto os lembretes estavam desativados não tem lembrete.`,
  quiet: (from, to, zone) => `Sem lembretes das ${from} às ${to} (${zone}).`,
};
