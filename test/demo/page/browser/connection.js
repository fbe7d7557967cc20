import { say } from "./words.js";

/** Rejects with an `Error` that has a sentence for the reader. @returns {Promise<any>} */
export async function act(action, body = {}) {
  const headers = { "content-type": "application/json" };
  return answerOf(await send(`/api/${action}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

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
