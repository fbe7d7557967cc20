import type { Privacy } from "../../views/parts/masked-customer.ts";
import { type Caller, isManager } from "./caller.ts";

/**
 * How much a person sees of customers in an exported file. With "none", the person also may not list the orders of one
 * customer. Members with Manage Server see everything, because they may change the privacy setting anyway.
 */
export const customersFor = (caller: Pick<Caller, "permissions">, privacy: Privacy): Privacy =>
  isManager(caller) ? "full" : privacy;
