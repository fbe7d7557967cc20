import { defineTexts } from "./define-texts.ts";

/** Product cards and lists. */
export const products = defineTexts({
  en: {
    list: "Products",
    untitled: "Untitled product",
    category: "Category",
    slug: "Slug",
    noDescription: "No description",
    empty: "No products here.",
    emptyPage: "No products on this page.",
    pick: "Open a product",
  },
  "pt-BR": {
    list: "Produtos",
    untitled: "Produto sem título",
    category: "Categoria",
    slug: "Slug",
    noDescription: "Sem descrição",
    empty: "Nenhum produto por aqui.",
    emptyPage: "Nenhum produto nesta página.",
    pick: "Abrir um produto",
  },
  es: {
    list: "Productos",
    untitled: "Producto sin título",
    category: "Categoría",
    slug: "Slug",
    noDescription: "Sin descripción",
    empty: "No hay productos aquí.",
    emptyPage: "No hay productos en esta página.",
    pick: "Abrir un producto",
  },
});
