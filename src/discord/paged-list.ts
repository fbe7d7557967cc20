import type { Services } from "../services.ts";
import type { ListQuery } from "../store-queries/pages.ts";
import { customId } from "../views/custom-id.ts";
import { jumpModal } from "../views/modals.ts";
import type { MessagePayload } from "../views/payload.ts";
import type { Caller, Press, Submission } from "./define-command.ts";
import { pageIn, pageNumber } from "./page-number.ts";

/** Makes one page of a list. `session` names the kept query in the page's buttons. */
export type ShowPage = (
  caller: Caller,
  services: Services,
  session: string,
  query: ListQuery,
  page: number,
) => Promise<MessagePayload>;

/** The buttons under a list, and the modal of the one that jumps to a page; `command` owns their custom ids. */
export function pagedList(command: string, show: ShowPage) {
  return {
    page: {
      answer: "update",
      async run(press: Press, services: Services) {
        const [session = "", page] = press.args;
        return show(press, services, session, await services.lists.find(session, press), pageIn(page));
      },
    },
    clear: {
      answer: "update",
      async run(press: Press, services: Services) {
        await services.lists.find(press.args[0] ?? "", press);
        const whole: ListQuery = {};
        return show(press, services, await services.lists.keep(press, whole), whole, 1);
      },
    },
    jump: {
      answer: "modal",
      async run(press: Press, services: Services) {
        const [session = "", arg] = press.args;
        // A modal that cannot lead to anything would be filled in for nothing.
        await services.lists.find(session, press);
        const lastPage = pageIn(arg);
        return jumpModal(customId(command, "jump", session, String(lastPage)), lastPage, press.locale);
      },
    },
    jumped: {
      answer: "update",
      async run(submission: Submission, services: Services) {
        const [session = "", lastPage] = submission.args;
        const query = await services.lists.find(session, submission);
        return show(submission, services, session, query, pageNumber(submission.fields.page, lastPage));
      },
    },
  } as const;
}
