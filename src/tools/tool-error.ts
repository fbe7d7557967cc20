/** `message` says what happened and what to do. */
export class ToolError extends Error {}
