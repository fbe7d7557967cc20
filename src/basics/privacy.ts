/** How much of a customer a message may show: nothing, `a•••@example.com`, or everything; each shows more than the one before. */
export const privacies = ["none", "masked", "full"] as const;
export type Privacy = (typeof privacies)[number];

/** Whether a customer's orders are put together for people: not where the server shows nothing of customers. */
export const looksUpCustomers = (privacy: Privacy): boolean => privacy !== "none";
