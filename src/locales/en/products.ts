/** Product cards and lists. */
export const products = {
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
};
