import { probeStore, type StoreProbe } from "../store-api/probe-store.ts";
import { type Finding, ok, shown, wrong } from "./finding.ts";

const wait = "the store's own fault: wait, and alerts go on by themselves; if it lasts, ask those who run the store";

/** What can be done about a connection that failed, by Node's and the system's names for that. */
function remedyFor(reason: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return "check STORE_API_URL for a typing error, and this machine's DNS";
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(reason))
    return "its certificate is not accepted: check STORE_API_URL, this machine's clock, or ask those who run the store";
  return "check STORE_API_URL, and that this machine may connect to it (firewall, proxy)";
}

/** Whether a store's API is at the address: its name, TLS, and an answer. One request, without a token. */
export async function checkStore(baseUrl: string): Promise<{ readonly finding: Finding; readonly found: StoreProbe }> {
  const found = await probeStore(baseUrl);
  return { finding: judge(new URL(baseUrl).host, found), found };
}

function judge(host: string, found: StoreProbe): Finding {
  if (found.kind === "none") {
    const reason = shown(found.reason);
    return wrong("Store", `${host} cannot be reached (${reason})`, remedyFor(reason));
  }
  if (found.status >= 500) return wrong("Store", `${host} answers with an error (${found.status})`, wait);
  if (found.kind === "api") return ok("Store", `${host} asks for a token, as a store's API does`);
  const remedy = "check STORE_API_URL: the address of the API, without /open-api, and not of the shop's pages";
  return wrong("Store", `${host} answers ${found.status} where a store's API asks for a token (401 or 403)`, remedy);
}
