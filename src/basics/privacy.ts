/** How much of a customer a message may show: nothing, `a•••@example.com`, or everything; each shows more than the one before. */
export const privacies = ["none", "masked", "full"] as const;
export type Privacy = (typeof privacies)[number];
