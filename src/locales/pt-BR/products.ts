import type { Texts } from "../shape.ts";

export const products: Texts["products"] = {
  list: "Produtos",
  untitled: "Produto sem título",
  title: "Título",
  category: "Categoria",
  categoryWith: (titles) => `a que tem ${titles}`,
  slug: "Slug",
  noDescription: "Sem descrição",
  empty: "Nenhum produto encontrado.",
  emptyPage: "Nenhum produto nesta página.",
  pick: "Abrir um produto",
  copy: "Copiar",
};
