import { say } from "./words.js";

/**
 * Asks the demo to do something.
 *
 * @param {string} action
 * @param {object} [body]
 * @returns {Promise<any>} the answer. Rejects with an `Error` that has a sentence for the reader
 */
export async function act(action, body = {}) {
  const headers = { "content-type": "application/json" };
  return answerOf(await send(`/api/${action}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

/**
 * Uploads a file as Discord's client would.
 *
 * @param {File} file
 */
export async function upload(file) {
  const headers = {
    "content-type": file.type || "application/octet-stream",
    "x-file-name": encodeURIComponent(file.name),
  };
  return answerOf(await send("/api/upload", { method: "POST", headers, body: file }));
}

async function send(path, init) {
  try {
    return await fetch(path, init);
  } catch {
    throw new Error(say().refusals.ended);
  }
}

async function answerOf(response) {
  const answer = await response.json();
  if (!response.ok) throw new Error(say().refusals[answer.error] ?? answer.error);
  return answer;
}

/**
 * Listens to what happens in the demo.
 *
 * @param {Record<string, (data: any) => void>} listeners by the event's name
 * @param {(open: boolean) => void} onConnection
 */
export function listen(listeners, onConnection) {
  const source = new EventSource("/events");
  for (const [name, listener] of Object.entries(listeners)) {
    source.addEventListener(name, (event) => listener(JSON.parse(event.data)));
  }
  source.addEventListener("open", () => onConnection(true));
  source.addEventListener("error", () => onConnection(false));
}
