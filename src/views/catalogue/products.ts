import { defineTexts } from "./define-texts.ts";

/** Product cards and lists. */
export const products = defineTexts({
  en: {
    list: "Products",
    untitled: "Untitled product",
    title: "Title",
    category: "Category",
    categoryWith: (titles: string) => `the one with ${titles}`,
    slug: "Slug",
    noDescription: "No description",
    empty: "No products found.",
    emptyPage: "No products on this page.",
    pick: "Open a product",
    copy: "Copy",
  },
  "pt-BR": {
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
  },
  es: {
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
  },
});
