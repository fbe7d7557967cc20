import type { Privacy } from "../../views/parts/masked-customer.ts";
import { type Caller, isManager } from "./caller.ts";

/**
 * How much of customers is shown in lists of many customers, or of all orders of one. Members with Manage Server see
 * everything, because they may change the privacy setting anyway.
 */
export const customersFor = (caller: Pick<Caller, "permissions">, privacy: Privacy): Privacy =>
  isManager(caller) ? "full" : privacy;
