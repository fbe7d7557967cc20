import type { Privacy } from "../../views/parts/masked-customer.ts";
import { type Caller, isManager } from "./caller.ts";

/**
 * Whose data is shown in answers that list many customers, or all orders of one. Members with Manage Server see everything,
 * because they may change the privacy setting anyway.
 */
export const customersFor = (caller: Pick<Caller, "permissions">, privacy: Privacy): Privacy =>
  isManager(caller) ? "full" : privacy;
