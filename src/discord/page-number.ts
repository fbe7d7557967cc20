import { ProblemError } from "../views/problem.ts";

/** A page that somebody typed into the jump modal; throws a `ProblemError` for anything but a whole number from 1. */
export function pageNumber(typed: string | undefined, lastPage: string | undefined): number {
  const page = Number((typed ?? "").trim());
  if (!Number.isSafeInteger(page) || page < 1) throw new ProblemError({ code: "bad_page", lastPage: pageIn(lastPage) });
  return page;
}

/** The page in a custom id of ours, or in an option: what arrives need not be one. */
export function pageIn(arg: string | number | undefined): number {
  const page = Number(arg);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}
