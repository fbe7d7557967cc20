import { printable } from "../basics/printable.ts";
import { probeStore } from "../store-api/probe-store.ts";
import { type Examined, ok, wrong } from "./finding.ts";

/** `reason` has the error name of Node or the system. */
function remedyFor(reason: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(reason))
    return "check STORE_API_URL in .env for a typing error, and this machine's DNS";
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(reason))
    return "its certificate is not accepted: check STORE_API_URL, this machine's clock, or ask those who run the store";
  return "check STORE_API_URL in .env, and that this machine may connect to it (firewall, proxy)";
}

/** Sends one request without a token. The value is true if a store's API is at the address. */
export async function checkStore(baseUrl: string): Promise<Examined<true>> {
  const { host } = new URL(baseUrl);
  const probe = await probeStore(baseUrl);
  if (probe.kind === "none") {
    const reason = printable(probe.reason);
    return { results: [wrong(`${host} cannot be reached (${reason})`, remedyFor(reason))] };
  }
  if (probe.kind === "api") return { results: [ok(`${host} asks for a token, as a store's API does`)], value: true };
  const [says, remedy] =
    probe.status >= 500
      ? [
          `${host} answers with an error (${probe.status})`,
          "it is an error of the store: wait, alerts go on by themselves; if it lasts, ask those who run the store",
        ]
      : [
          `${host} answers ${probe.status} where a store's API asks for a token`,
          "correct STORE_API_URL in .env: the address of the API is often not that of the shop; see Settings, Open API, in the store's panel, or ask its provider",
        ];
  return { results: [wrong(says, remedy)] };
}
