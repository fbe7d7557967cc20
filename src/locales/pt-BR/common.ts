import type { Texts } from "../shape.ts";

export const common: Texts["common"] = {
  create: "Criar",
  edit: "Editar",
  cancel: "Cancelar",
  confirm: "Confirmar",
  previous: "Anterior",
  next: "Próxima",
  back: "Voltar",
  open: "Abrir",
  clear: "Limpar filtro",
  tryAgain: "Tentar de novo",
  pageOf: (page, lastPage) => `Página ${page} de ${lastPage}`,
  jumpTitle: "Ir para uma página",
  jumpLabel: "Página",
  jumpHint: (lastPage) => `Um número de 1 a ${lastPage}`,
  more: (count) => `… e mais ${count}`,
  beyondLast: (page, lastPage) =>
    `A página ${page} não existe. A última é a ${lastPage}: **Anterior** leva você até ela.`,
  id: "ID",
  created: "Criado em",
  waiting: "Esperando a loja responder.",
  minutesLeft: (minutes) => `Tempo restante: cerca de ${minutes} min.`,
  almostThere: "Falta menos de um minuto.",
  reference: (reference) => `Referência: ${reference}`,
};
