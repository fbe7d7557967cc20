import type { Sessions } from "../../sessions/sessions.ts";
import type { ListQuery } from "../../store-queries/search-orders.ts";
import type { row } from "../../views/parts/components.ts";
import type { ListIds } from "../../views/parts/custom-ids.ts";
import { backRow } from "../../views/parts/list-page.ts";
import { jumpModal } from "../../views/parts/modals.ts";
import type { ActionRow, MessagePayload } from "../../views/parts/payload.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import type { Caller } from "./caller.ts";
import type { MenuChoice, Press, Submission } from "./define-command.ts";
import type { Reply } from "./reply.ts";

/** Reads a typed page number. Throws a `ProblemError` for anything but a whole number from 1. */
export function pageNumber(typed: string | undefined, lastPage: number): number {
  const page = Number((typed ?? "").trim());
  if (!Number.isSafeInteger(page) || page < 1) throw new ProblemError({ code: "bad_page", lastPage });
  return page;
}

interface OfList {
  readonly session: string;
}
interface OfPage extends OfList {
  readonly page: number;
}
interface ToPage extends OfList {
  readonly lastPage: number;
}

/** An entry that was chosen from a page of a list. */
export interface OpenedEntry {
  readonly id: string;
  readonly query: ListQuery;
  readonly page: number;
  readonly session: string;
  /** Makes a row of the given buttons, followed by the button that leads back to the page. */
  back(others?: Parameters<typeof row>): ActionRow;
}

/**
 * Makes the handlers of a list: of its buttons, its menu, and the window that jumps to a page.
 *
 * @param show makes one page of the list. `session` is the id of the stored query, and part of the page's custom ids
 * @param open shows the entry that was chosen from the menu
 */
export function pagedList<Services extends { readonly lists: Sessions<ListQuery> }>(
  ids: ListIds,
  show: (
    caller: Caller,
    services: Services,
    session: string,
    query: ListQuery,
    page: number,
    reply: Reply,
  ) => Promise<MessagePayload>,
  open: (caller: Caller, services: Services, opened: OpenedEntry) => Promise<MessagePayload>,
) {
  return {
    buttons: {
      async page(press: Press<OfPage>, services: Services, reply: Reply) {
        const { session, page } = press.args;
        return show(press, services, session, await services.lists.find(session, press), page, reply);
      },
      async clear(press: Press<OfList>, services: Services, reply: Reply) {
        await services.lists.find(press.args.session, press);
        const whole: ListQuery = {};
        return show(press, services, await services.lists.keep(press, whole), whole, 1, reply);
      },
      jump: {
        answer: "modal",
        async run(press: Press<ToPage>, services: Services) {
          const { session, lastPage } = press.args;
          // Without its session the window could not lead to a page, so check the session first.
          await services.lists.find(session, press);
          return jumpModal(ids.windows.jump.make({ session, lastPage }), lastPage, press.locale);
        },
      },
    },
    menus: {
      async open(choice: MenuChoice<OfPage>, services: Services) {
        const { session, page } = choice.args;
        const query = await services.lists.find(session, choice);
        const back = (others: Parameters<typeof row> = []) => backRow(ids, session, page, choice.locale, others);
        return open(choice, services, { id: choice.value ?? "", query, page, session, back });
      },
    },
    windows: {
      async jump(submission: Submission<ToPage>, services: Services, reply: Reply) {
        const { session, lastPage } = submission.args;
        const query = await services.lists.find(session, submission);
        return show(submission, services, session, query, pageNumber(submission.fields.page, lastPage), reply);
      },
    },
  } as const;
}
