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
    hasIt: (who: string, when: string) => `${who} has this order: they took it ${when}. Nothing was changed.`,
    youHaveIt: (when: string) => `You have this order already: you took it ${when}.`,
    isDone: (who: string, when: string) => `${who} was done with this order ${when}. Nothing was changed.`,
    notTheirs: (who: string, when: string) =>
      `${who} took this order ${when}: only they, or somebody with the Manage Server permission, can press that. Nothing was changed.`,
    isFree: "Nobody has this order. Nothing was changed. **Take** makes it yours.",
    waits: "Order still waiting",
    wait: (count: number) =>
      plural("en", count, { one: "1 order still waiting", other: `${count} orders still waiting` }),
    nobody: "Nobody has taken it.",
    remindersOff: "The channel is not reminded of orders. `/alerts remind after: 30 minutes` turns that on.",
    remindersAfter: (after: string) =>
      `The channel is reminded, once, of each order that nobody took or that has not moved on ${after} after its alert. This is for alerts from now on.`,
    quiet: (from: string, to: string, zone: string) => `Quiet from ${from} to ${to} (${zone}).`,
  },
  "pt-BR": {
    take: "Assumir",
    done: "Concluir",
    giveBack: "Devolver",
    takenBy: (who, when) => `Assumido por ${who}, ${when}`,
    doneBy: (who, when) => `Concluído por ${who}, ${when}`,
    givenBackBy: (who, when) => `Devolvido por ${who}, ${when}`,
    hasIt: (who, when) => `${who} está com este pedido: assumiu ${when}. Nada foi alterado.`,
    youHaveIt: (when) => `Este pedido já está com você: você assumiu ${when}.`,
    isDone: (who, when) => `${who} concluiu este pedido ${when}. Nada foi alterado.`,
    notTheirs: (who, when) =>
      `${who} assumiu este pedido ${when}: só essa pessoa, ou alguém com a permissão Gerenciar servidor, pode fazer isso. Nada foi alterado.`,
    isFree: "Ninguém está com este pedido. Nada foi alterado. **Assumir** deixa o pedido com você.",
    waits: "Pedido ainda esperando",
    wait: (count) =>
      plural("pt-BR", count, { one: `${count} pedido ainda esperando`, other: `${count} pedidos ainda esperando` }),
    nobody: "Ninguém assumiu.",
    remindersOff: "O canal não é lembrado de pedidos. `/avisos lembrar após: 30 minutos` ativa isso.",
    remindersAfter: (after) =>
      `O canal é lembrado, uma vez, de cada pedido que ninguém assumiu ou que não andou ${after} após o aviso. Vale para avisos a partir de agora.`,
    quiet: (from, to, zone) => `Silêncio das ${from} às ${to} (${zone}).`,
  },
  es: {
    take: "Tomar",
    done: "Listo",
    giveBack: "Devolver",
    takenBy: (who, when) => `Lo tomó ${who}, ${when}`,
    doneBy: (who, when) => `Lo terminó ${who}, ${when}`,
    givenBackBy: (who, when) => `Lo devolvió ${who}, ${when}`,
    hasIt: (who, when) => `${who} tiene este pedido: lo tomó ${when}. No se cambió nada.`,
    youHaveIt: (when) => `Este pedido ya es tuyo: lo tomaste ${when}.`,
    isDone: (who, when) => `${who} terminó este pedido ${when}. No se cambió nada.`,
    notTheirs: (who, when) =>
      `${who} tomó este pedido ${when}: solo esa persona, o alguien con el permiso Gestionar servidor, puede hacer eso. No se cambió nada.`,
    isFree: "Nadie tiene este pedido. No se cambió nada. **Tomar** lo hace tuyo.",
    waits: "Pedido aún en espera",
    wait: (count) =>
      plural("es", count, { one: `${count} pedido aún en espera`, other: `${count} pedidos aún en espera` }),
    nobody: "Nadie lo tomó.",
    remindersOff: "No se recuerdan pedidos en el canal. `/avisos recordar tras: 30 minutos` lo activa.",
    remindersAfter: (after) =>
      `Se recuerda en el canal, una vez, cada pedido que nadie tomó o que no avanzó ${after} después de su aviso. Vale para los avisos desde ahora.`,
    quiet: (from, to, zone) => `Silencio de ${from} a ${to} (${zone}).`,
  },
});
