import type { Privacy } from "../../views/parts/masked-customer.ts";
import { type Caller, isManager } from "./caller.ts";

/**
 * Which data of customers the caller sees in answers that list many customers, or all orders of one customer. Members with
 * Manage Server see everything, because they may change the privacy setting anyway. Others see what the server shows in its
 * channels.
 */
export const customersFor = (caller: Pick<Caller, "permissions">, privacy: Privacy): Privacy =>
  isManager(caller) ? "full" : privacy;
