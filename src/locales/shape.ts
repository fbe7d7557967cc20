import type * as en from "./en/index.ts";

/**
 * All texts of one language, by topic. English defines the shape: in another language a missing key, a surplus key, or
 * a function with other arguments does not compile.
 */
export type Texts = typeof en;
