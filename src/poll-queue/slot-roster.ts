import type { Alerts } from "../alerts/alerts.ts";
import { slotOf } from "./slots.ts";

/** The servers of each slot that has any. */
export type SlotServers = ReadonlyMap<number, readonly string[]>;

/** The servers to poll, by slot; read again when another process has changed them. */
export function createSlotRoster(alerts: Pick<Alerts, "guildIds" | "rosterChanged">, onChange: () => void) {
  let readFor = "";
  let slots: Promise<SlotServers> | undefined;

  async function read(): Promise<SlotServers> {
    const found = new Map<number, string[]>();
    for (const guildId of await alerts.guildIds()) {
      const slot = slotOf(guildId);
      const servers = found.get(slot);
      if (servers) servers.push(guildId);
      else found.set(slot, [guildId]);
    }
    return found;
  }

  return {
    /**
     * Throws `StorageError`.
     *
     * @param version of the roster; as it was last known where it is left out
     */
    async servers(version = readFor): Promise<SlotServers> {
      if (version !== readFor) {
        alerts.rosterChanged();
        slots = undefined;
        readFor = version;
        onChange();
      }
      slots ??= read();
      return slots.catch((error: unknown) => {
        slots = undefined;
        throw error;
      });
    },
  };
}
