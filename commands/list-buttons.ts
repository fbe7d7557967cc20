import type { Caller } from "../src/discord/commands/caller.ts";
import type { Handlers, Press } from "../src/discord/commands/define-command.ts";
import type { Services } from "../src/discord/commands/services.ts";
import type { ListQuery } from "../src/store-queries/search-orders.ts";
import type { customIds, ListIds } from "../src/views/parts/custom-ids.ts";
import { jumpModal } from "../src/views/parts/modals.ts";
import type { MessagePayload } from "../src/views/parts/payload.ts";
import { ProblemError } from "../src/views/parts/problem.ts";

/** Throws a `ProblemError` if the text is not a whole number, or is less than 1. */
export function pageNumber(typed: string | undefined, lastPage: number): number {
  const page = Number((typed ?? "").trim());
  if (!Number.isSafeInteger(page) || page < 1) throw new ProblemError({ code: "bad_page", about: String(lastPage) });
  return page;
}

type OfList = { readonly session: string };

/** `session` is the id of the stored query, and part of the page's custom ids. */
export interface ListPlace {
  readonly session: string;
  readonly query: ListQuery;
  readonly page: number;
}

export interface OpenedEntry extends ListPlace {
  readonly id: string;
}

/** `begin` answers the command. `handlers` has the list's buttons, its menu, and the window that jumps to a page. */
export function listButtons(
  ids: ListIds,
  show: (caller: Caller, services: Services, place: ListPlace) => Promise<MessagePayload>,
  open: (caller: Caller, services: Services, opened: OpenedEntry) => Promise<MessagePayload>,
) {
  const placeIn = async (press: Press<OfList>, { lists }: Services, page = 1): Promise<ListPlace> => {
    const { session } = press.args;
    return { session, query: await lists.find(session, press), page };
  };
  const begin = async (caller: Caller, services: Services, query: ListQuery, page = 1) =>
    show(caller, services, { session: await services.lists.keep(caller, query), query, page });

  const handlers: Handlers<typeof customIds.orders> = {
    buttons: {
      page: async (press, services) => show(press, services, await placeIn(press, services, press.args.page)),
      async clear(press, services) {
        await placeIn(press, services);
        return begin(press, services, {});
      },
      jump: {
        answer: "modal",
        async run(press, services) {
          // Throws if the session has expired: then the window would be useless.
          await placeIn(press, services);
          return jumpModal(ids.windows.jump.make(press.args), press.args.lastPage, press.locale);
        },
      },
    },
    menus: {
      async open(choice, services) {
        const place = await placeIn(choice, services, choice.args.page);
        return open(choice, services, { ...place, id: choice.value });
      },
    },
    windows: {
      async jump(submission, services) {
        const place = await placeIn(submission, services);
        const page = pageNumber(submission.fields.page, submission.args.lastPage);
        return show(submission, services, { ...place, page });
      },
    },
  };
  return { begin, handlers };
}
