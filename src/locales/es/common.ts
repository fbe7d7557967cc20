import type { Texts } from "../shape.ts";

export const common: Texts["common"] = {
  create: "Crear",
  edit: "Editar",
  cancel: "Cancelar",
  confirm: "Confirmar",
  previous: "Anterior",
  next: "Siguiente",
  back: "Volver",
  open: "Abrir",
  clear: "Quitar filtro",
  tryAgain: "Intentar de nuevo",
  pageOf: (page, lastPage) => `Página ${page} de ${lastPage}`,
  jumpTitle: "Ir a una página",
  jumpLabel: "Página",
  jumpHint: (lastPage) => `Un número del 1 al ${lastPage}`,
  more: (count) => `… y ${count} más`,
  beyondLast: (page, lastPage) =>
    `La página ${page} no existe. La última es la ${lastPage}: **Anterior** te lleva a ella.`,
  id: "ID",
  created: "Creado",
  waiting: "Esperando a la tienda.",
  minutesLeft: (minutes) => `Tiempo restante aproximado: ${minutes} min.`,
  almostThere: "Falta menos de un minuto.",
  reference: (reference) => `Referencia: ${reference}`,
};
