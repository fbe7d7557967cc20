import { defineTexts, plural } from "./define-texts.ts";

/** Who deals with an order. `who` is a mention, which pings nobody; `when` is "3 minutes ago", or a date and a time. */
export const handling = defineTexts({
  en: {
    take: "Take",
    done: "Done",
    giveBack: "Give back",
    takenBy: (who: string, when: string) => `Taken by ${who}, ${when}`,
    doneBy: (who: string, when: string) => `Done by ${who}, ${when}`,
    givenBackBy: (who: string, when: string) => `Given back by ${who}, ${when}`,
    hasIt: (who: string, when: string) => `${who} has this order: they took it ${when}.`,
    youHaveIt: (when: string) => `You already have this order: you took it ${when}.`,
    isDone: (who: string, when: string) => `${who} finished this order ${when}.`,
    notTheirs: (who: string, when: string) =>
      `${who} took this order ${when}. Only they, or someone with the Manage Server permission, can do that.`,
    isFree: "Nobody has this order. Press **Take** to take it.",
    waits: "Order still waiting",
    wait: (count: number) =>
      plural("en", count, { one: "1 order still waiting", other: `${count} orders still waiting` }),
    nobody: "Nobody has taken it.",
    remindersOff: "Reminders are off. Turn them on with `/alerts remind after: 30 minutes`.",
    remindersAfter: (after: string) =>
      `Reminders are on: one message for each order that nobody has taken or finished ${after} after its alert. Applies to new alerts.`,
    quiet: (from: string, to: string, zone: string) => `No reminders from ${from} to ${to} (${zone}).`,
  },
  "pt-BR": {
    take: "Assumir",
    done: "Concluir",
    giveBack: "Devolver",
    takenBy: (who, when) => `Assumido por ${who}, ${when}`,
    doneBy: (who, when) => `Concluído por ${who}, ${when}`,
    givenBackBy: (who, when) => `Devolvido por ${who}, ${when}`,
    hasIt: (who, when) => `${who} está com este pedido: assumiu ${when}.`,
    youHaveIt: (when) => `Este pedido já está com você: você assumiu ${when}.`,
    isDone: (who, when) => `${who} concluiu este pedido ${when}.`,
    notTheirs: (who, when) =>
      `${who} assumiu este pedido ${when}. Só essa pessoa, ou alguém com a permissão Gerenciar servidor, pode fazer isso.`,
    isFree: "Ninguém está com este pedido. Clique em **Assumir** para ficar com ele.",
    waits: "Pedido ainda esperando",
    wait: (count) =>
      plural("pt-BR", count, { one: `${count} pedido ainda esperando`, other: `${count} pedidos ainda esperando` }),
    nobody: "Ninguém assumiu.",
    remindersOff: "Os lembretes estão desativados. Ative com `/avisos lembrar após: 30 minutos`.",
    remindersAfter: (after) =>
      `Lembretes ativados: um por pedido que ninguém assumir ou concluir em até ${after} após o aviso. Vale só para avisos novos.`,
    quiet: (from, to, zone) => `Sem lembretes das ${from} às ${to} (${zone}).`,
  },
  es: {
    take: "Atender",
    done: "Terminar",
    giveBack: "Devolver",
    takenBy: (who, when) => `Empezó a atenderlo ${who}, ${when}`,
    doneBy: (who, when) => `Lo terminó ${who}, ${when}`,
    givenBackBy: (who, when) => `Lo devolvió ${who}, ${when}`,
    hasIt: (who, when) => `${who} atiende este pedido: empezó ${when}.`,
    youHaveIt: (when) => `Ya atiendes este pedido: empezaste ${when}.`,
    isDone: (who, when) => `${who} terminó este pedido ${when}.`,
    notTheirs: (who, when) =>
      `${who} atiende este pedido: empezó ${when}. Solo esa persona, o alguien con el permiso Gestionar servidor, puede hacer eso.`,
    isFree: "Nadie atiende este pedido. Presiona **Atender** para encargarte de él.",
    waits: "Pedido aún en espera",
    wait: (count) =>
      plural("es", count, { one: `${count} pedido aún en espera`, other: `${count} pedidos aún en espera` }),
    nobody: "Nadie lo atiende.",
    remindersOff: "Los recordatorios están desactivados. Actívalos con `/avisos recordar tras: 30 minutos`.",
    remindersAfter: (after) =>
      `Recordatorios activados: uno por cada pedido que siga sin atender o sin terminar ${after} después de su aviso. Se aplica a los avisos nuevos.`,
    quiet: (from, to, zone) => `Sin recordatorios de ${from} a ${to} (${zone}).`,
  },
});
