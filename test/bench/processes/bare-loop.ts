import { Agent, request } from "undici";
import { offer } from "../child.ts";

/** Sent `afterMs` after the beginning of a round. */
interface Planned {
  readonly afterMs: number;
  readonly path: string;
  readonly token: string;
}

interface Answer {
  readonly data: { readonly orders: readonly { readonly id: string }[] };
}

let requests = 0;
let failure: unknown;

/** The least that every search for new orders has to do: reads the page, and looks each order up. */
async function read(dispatcher: Agent, origin: string, { path, token }: Planned, known: Set<string>): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await request(`${origin}${path}`, { dispatcher, headers });
  const { data } = JSON.parse(await body.text()) as Answer;
  for (const { id } of data.orders) if (!known.has(id)) known.add(id);
  requests++;
}

const calls = {
  /** Sends each request at its time in each round of `roundMs`. */
  replay(origin: string, planned: readonly Planned[], roundMs: number) {
    const dispatcher = new Agent({ connections: 512 });
    const known = new Map<string, Set<string>>();
    const from = performance.now();
    const send = (index: number, round: number) => {
      const plan = planned[index];
      if (plan === undefined) return planned.length > 0 ? void send(0, round + 1) : undefined;
      const due = from + round * roundMs + plan.afterMs;
      setTimeout(
        () => {
          const ids = known.get(plan.token) ?? new Set();
          known.set(plan.token, ids);
          read(dispatcher, origin, plan, ids).catch((error: unknown) => {
            failure = error;
          });
          send(index + 1, round);
        },
        Math.max(due - performance.now(), 0),
      );
    };
    send(0, 0);
  },
  /** Requests answered so far. Throws the error of a failed request. */
  requests() {
    if (failure !== undefined) throw failure;
    return requests;
  },
};

export type BareLoopCalls = typeof calls;
offer(calls);
