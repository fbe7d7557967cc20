import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** What a process offers to the one that started it. Arguments and results are sent as JSON. */
type Calls = Readonly<Record<string, (...args: never[]) => unknown>>;

interface Request {
  readonly id: number;
  readonly name: string;
  readonly args: never[];
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Its processor time is counted apart. Waits until the process offers its calls. `flags`: flags of Node. */
export async function startChild<C extends Calls>(module: string, flags: readonly string[] = []) {
  const child = fork(join(import.meta.dirname, "processes", module), { execArgv: [...flags] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const ended = once(child, "exit").then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`${module} ended`));
  });
  await Promise.race([once(child, "message"), ended]);
  if (child.pid === undefined || child.exitCode !== null) throw new Error(`${module} could not be started`);
  child.on("message", ({ id, result, error }: Reply) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(`${module}: ${error}`));
  });
  let calls = 0;
  return {
    pid: child.pid,
    call<K extends keyof C & string>(name: K, ...args: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>> {
      const id = calls++;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(id, answer);
      child.send({ id, name, args });
      return answer.promise as Promise<Awaited<ReturnType<C[K]>>>;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** A started module calls this once. The process ends with the one that started it. */
export function offer(calls: Calls): void {
  const answer = async ({ id, name, args }: Request): Promise<Reply> => {
    try {
      return { id, result: await calls[name]?.(...args) };
    } catch (error) {
      return { id, error: String(error) };
    }
  };
  process.on("message", (request: Request) => {
    void answer(request).then((reply) => process.send?.(reply));
  });
  process.on("disconnect", () => process.exit());
  process.send?.("ready");
}
