import { setTimeout as wait } from "node:timers/promises";
import { Agent, request } from "undici";
import { offer } from "../child.ts";

interface Server {
  readonly token: string;
  readonly channelId: string;
}

interface Plan {
  /** Of the store. */
  readonly origin: string;
  readonly discordApiUrl: string;
  readonly discordToken: string;
  readonly servers: readonly Server[];
  readonly everyMs: number;
}

interface Answer {
  readonly data: { readonly orders: readonly { readonly id: string }[]; readonly lastPage: number };
}

let failure: unknown;

/** Every page of a store; what was not there the last time is posted. */
function createPoll({ origin, discordApiUrl, discordToken }: Plan, { token, channelId }: Server) {
  const dispatcher = agent;
  const seen = new Set<string>();
  let isFirst = true;
  let isPolling = false;

  async function post(id: string): Promise<void> {
    const { statusCode, headers, body } = await request(`${discordApiUrl}/v10/channels/${channelId}/messages`, {
      dispatcher,
      method: "POST",
      headers: { authorization: `Bot ${discordToken}`, "content-type": "application/json" },
      body: JSON.stringify({ content: `New order ${id}` }),
    });
    await body.dump();
    if (statusCode === 429) {
      await wait(Number(headers["retry-after"]) * 1_000);
      return post(id);
    }
    if (statusCode !== 200) throw new Error(`Discord answered ${statusCode}`);
  }

  async function read() {
    for (let page = 1, lastPage = 1; page <= lastPage; page++) {
      const url = `${origin}/open-api/checkout/order?page=${page}&limit=100&status=PENDING`;
      const { body } = await request(url, { dispatcher, headers: { authorization: `Bearer ${token}` } });
      const { data } = JSON.parse(await body.text()) as Answer;
      for (const { id } of data.orders) {
        if (seen.has(id)) continue;
        seen.add(id);
        if (!isFirst) await post(id);
      }
      lastPage = data.lastPage;
    }
    isFirst = false;
  }

  return () => {
    // As whoever writes this finds out at the first overload.
    if (isPolling) return;
    isPolling = true;
    read()
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => {
        isPolling = false;
      });
  };
}

const agent = new Agent({ connections: 128 });

const calls = {
  /** The least that a bot does which reads everything: all stores at once, every `everyMs`, from now on. */
  start(plan: Plan) {
    const polls = plan.servers.map((server) => createPoll(plan, server));
    const round = () => {
      for (const poll of polls) poll();
    };
    round();
    setInterval(round, plan.everyMs);
  },
  /** Throws what a request failed with. */
  check() {
    if (failure !== undefined) throw failure;
  },
};

export type NaivePollerCalls = typeof calls;
offer(calls);
