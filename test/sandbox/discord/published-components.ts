import { type Component, flat, TYPE } from "./components.ts";
import type { Attachment } from "./model.ts";

/** What Discord fills in where a request left it out. */
const DEFAULTS: Readonly<Record<number, Readonly<Record<string, unknown>>>> = {
  [TYPE.container]: { accent_color: null, spoiler: false },
  [TYPE.thumbnail]: { description: null, spoiler: false },
  [TYPE.separator]: { spacing: 1, divider: true },
  [TYPE.file]: { spoiler: false },
  [TYPE.stringSelect]: { min_values: 1, max_values: 1 },
  [TYPE.userSelect]: { min_values: 1, max_values: 1 },
  [TYPE.roleSelect]: { min_values: 1, max_values: 1 },
  [TYPE.mentionableSelect]: { min_values: 1, max_values: 1 },
  [TYPE.channelSelect]: { min_values: 1, max_values: 1 },
};

function attachmentFor(url: string, attachments: readonly Attachment[]): Attachment | undefined {
  if (!url.startsWith("attachment://")) return undefined;
  const name = url.slice("attachment://".length);
  return attachments.find(({ filename, title }) => filename === name || title === name);
}

/** A medium with the address under which a client loads it. */
function medium({ url }: { readonly url: string }, attachments: readonly Attachment[]) {
  const file = attachmentFor(url, attachments);
  return {
    id: file?.id ?? "0",
    url: file?.url ?? url,
    proxy_url: file?.proxy_url ?? url,
    width: file?.width ?? 0,
    height: file?.height ?? 0,
    content_type: file?.content_type ?? "image/png",
    ...(file === undefined ? {} : { attachment_id: file.id }),
  };
}

/** Components as Discord answers them: every one numbered, with defaults, every medium with its address. */
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
    const { components: inner, accessory, media, file, items } = given as Partial<Component>;
    const attached = file && attachmentFor(file.url, attachments);
    return {
      ...DEFAULTS[component.type],
      ...given,
      type: component.type,
      id: component.id || number(),
      ...(inner ? { components: inner.map(publish) } : {}),
      ...(accessory ? { accessory: publish(accessory) } : {}),
      ...(media ? { media: medium(media, attachments) } : {}),
      ...(file
        ? { file: medium(file, attachments), name: attached?.filename ?? null, size: attached?.size ?? null }
        : {}),
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
