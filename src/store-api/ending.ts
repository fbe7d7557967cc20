/** Why a call ended before it was answered. */
export type EndCause = "time" | "caller" | "closed";

/**
 * The one end of a call, whatever it does just then: its time is up, its caller gave up, or the client is closed. One
 * timer and one listener for the whole call, which does one thing after another.
 */
export interface Ending {
  /** Undefined while the call goes on. */
  cause(): EndCause | undefined;
  /** When its time is up, by `performance.now()`. */
  readonly endsAt: number;
  /** Who is told of the end, in place of whoever was to be told before; at once when the end has come. */
  tell(listener: (() => void) | undefined): void;
  end(cause: EndCause): void;
  /** The call is answered: nobody is told any more. To be called in any case, for a timer runs. */
  forget(): void;
}

/** @param ms the time that the call has */
export function createEnding(ms: number, signal: AbortSignal | undefined): Ending {
  let cause: EndCause | undefined;
  let told: (() => void) | undefined;
  const end = (why: EndCause) => {
    if (cause !== undefined) return;
    cause = why;
    forget();
    const listener = told;
    told = undefined;
    listener?.();
  };
  const giveUp = () => end("caller");
  const timer = setTimeout(end, ms, "time");
  const forget = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  };
  signal?.addEventListener("abort", giveUp);
  return {
    cause: () => cause,
    endsAt: performance.now() + ms,
    tell(listener) {
      told = listener;
      if (cause === undefined || listener === undefined) return;
      told = undefined;
      listener();
    },
    end,
    forget,
  };
}

/** Waits; resolves to whether the call still goes on. */
export function pauseUntilEnd(ms: number, ending: Ending): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      ending.tell(undefined);
      resolve(true);
    }, ms);
    ending.tell(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
