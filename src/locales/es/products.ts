import type { Texts } from "../shape.ts";

export const products: Texts["products"] = {
  list: "Productos",
  untitled: "Producto sin título",
  title: "Título",
  category: "Categoría",
  categoryWith: (titles) => `la que tiene ${titles}`,
  slug: "Slug",
  noDescription: "Sin descripción",
  empty: "No se encontraron productos.",
  emptyPage: "No hay productos en esta página.",
  pick: "Abrir un producto",
  copy: "Copiar",
};
