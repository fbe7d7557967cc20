import { type Component, flat, isSelect, TYPE } from "./components.ts";
import type { Attachment } from "./model.ts";

/** Discord fills these in if a request leaves them out. */
function defaultsOf(component: Component): object {
  if (isSelect(component)) return { min_values: 1, max_values: 1 };
  if (component.type === TYPE.container) return { accent_color: null, spoiler: false };
  if (component.type === TYPE.separator) return { spacing: 1, divider: true };
  return component.type === TYPE.file ? { spoiler: false } : {};
}

function medium({ url }: { readonly url: string }, attachments: readonly Attachment[]) {
  const file = attachments.find(({ filename, title }) => [filename, title].includes(url.replace("attachment://", "")));
  return {
    id: file?.id ?? "0",
    url: file?.url ?? url,
    proxy_url: file?.proxy_url ?? url,
    width: file?.width ?? 0,
    height: file?.height ?? 0,
    content_type: file?.content_type ?? "image/png",
    ...(file === undefined ? {} : { attachment_id: file.id, name: file.filename, size: file.size }),
  };
}

/** As Discord answers: numbered, with defaults, and with the URLs of pictures and files. */
export function published(components: readonly Component[], attachments: readonly Attachment[]): Component[] {
  const taken = new Set(flat(components).map(({ id }) => id));
  let next = 0;
  const number = () => {
    do next += 1;
    while (taken.has(next));
    return next;
  };
  const publish = (component: Component): Component => {
    const given = Object.fromEntries(Object.entries(component).filter(([, value]) => value !== null));
    const { components: inner, file, items } = given as Partial<Component>;
    const { name, size, ...stored } = file ? medium(file, attachments) : {};
    return {
      ...defaultsOf(component),
      ...given,
      type: component.type,
      id: component.id || number(),
      ...(inner ? { components: inner.map(publish) } : {}),
      ...(file ? { file: stored as Component["file"], name, size } : {}),
      ...(items
        ? {
            items: items.map((item) => ({
              description: null,
              spoiler: false,
              ...item,
              media: medium(item.media, attachments),
            })),
          }
        : {}),
    };
  };
  return components.map(publish);
}
