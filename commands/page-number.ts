import { ProblemError } from "../src/discord/problem-error.ts";

/** A page that somebody typed into the jump modal; throws a `ProblemError` for anything but a whole number from 1. */
export function pageNumber(typed: string | undefined, lastPage: string | undefined): number {
  const page = Number((typed ?? "").trim());
  if (!Number.isSafeInteger(page) || page < 1)
    throw new ProblemError({ code: "bad_page", lastPage: Number(lastPage) || 1 });
  return page;
}

/** The page in a custom id of ours. */
export function pageIn(arg: string | undefined): number {
  const page = Number(arg);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}
