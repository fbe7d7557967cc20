/** Buttons and phrases that several views share. */
export const common = {
  create: "Create",
  edit: "Edit",
  cancel: "Cancel",
  confirm: "Confirm",
  previous: "Previous",
  next: "Next",
  back: "Back",
  open: "Open",
  clear: "Clear",
  tryAgain: "Try again",
  pageOf: (page: string, lastPage: string) => `Page ${page} of ${lastPage}`,
  jumpTitle: "Go to a page",
  jumpLabel: "Page",
  jumpHint: (lastPage: string) => `A number from 1 to ${lastPage}`,
  more: (count: string) => `… and ${count} more`,
  beyondLast: (page: string, lastPage: string) =>
    `There is no page ${page}. The last one is page ${lastPage}: **Previous** takes you there.`,
  id: "ID",
  created: "Created",
  reference: (reference: string) => `Reference: ${reference}`,
};
