import type { APIMessageTopLevelComponent } from "discord.js";

/** A message as Discord's API takes it: Components V2 only, so no content and no embeds. */
export interface MessagePayload {
  /** Always has IsComponentsV2 (1 << 15). */
  readonly flags: number;
  readonly components: APIMessageTopLevelComponent[];
  /** Nothing is parsed; a role is listed only where its owner chose it. */
  readonly allowed_mentions: { readonly parse: []; readonly roles?: string[] };
}
