const kinds = {
  none: undefined,
  "429": {
    status: 429,
    headers: { "retry-after": "1" },
    body: { message: "slow down", retry_after: 0.2, global: false },
  },
  "500": { status: 500, body: {} },
  /** The request never arrives. */
  before: { drop: "before" },
  /** The request is carried out, and its answer is lost. */
  after: { drop: "after" },
  /** The request is carried out, and its answer ends in the middle. Only the store does this. */
  truncate: { truncate: true },
  /** A page that is no JSON. Only the store does this. */
  garbage: { garbage: "<html>" },
  slow: { delayMs: 400 },
} as const;

/** A way in which a request to Discord or to the store can fail. */
export type Failure = keyof typeof kinds;

/** Which requests fail, and how many of them: one by default. */
interface Place {
  readonly path: RegExp;
  readonly method?: string;
  readonly times?: number;
}

/** Lets the next requests to a pretend service fail. Call the returned function to end a failure that no request has met yet. */
export function failNext(service: { fail(rule: Place): () => void }, place: Place, failure: Failure): () => void {
  const kind = kinds[failure];
  return kind === undefined ? () => undefined : service.fail({ times: 1, ...place, ...kind });
}
