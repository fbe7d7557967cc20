import type * as en from "./en/index.ts";

/**
 * All texts of one language, by topic. English gives the shape: in another language a missing key, a surplus one, or a
 * function of other arguments does not compile.
 */
export type Texts = typeof en;
