import type { Order } from "./schemas.ts";

/** The only status that the API document shows (store-open-api 3). */
export const documentedStatus = "PENDING";

/**
 * Returns a key that is equal for equal statuses. Stores differ in spelling, so case and surrounding blanks do not
 * count.
 */
export function statusKey(status: string): string {
  return status.trim().toUpperCase();
}

/** Whether two statuses are the same. */
export function sameStatus(one: string, other: string): boolean {
  return one === other || statusKey(one) === statusKey(other);
}

/** Returns a test whether an order has one of these statuses. For many orders it is faster than {@link hasStatus}. */
export function withStatus(statuses: readonly string[]): (order: Pick<Order, "status">) => boolean {
  const keys = new Set(statuses.map(statusKey));
  return ({ status }) => keys.has(statusKey(status));
}

/** Whether an order has one of these statuses. */
export function hasStatus({ status }: Pick<Order, "status">, statuses: readonly string[]): boolean {
  if (statuses.includes(status)) return true;
  const key = statusKey(status);
  return statuses.some((wanted) => statusKey(wanted) === key);
}

/**
 * The progress of an order, as its status shows it: `waiting` for payment; `working`: in progress; `good`: paid, or
 * further; `ended`: failed or cancelled without payment; `reversed`: paid back or disputed.
 */
export type Stage = "waiting" | "working" | "good" | "ended" | "reversed" | "unknown";

/** A status that stores commonly use; views have a word for each in every language. */
export type CommonStatus =
  | "pending"
  | "processing"
  | "paid"
  | "approved"
  | "completed"
  | "delivered"
  | "shipped"
  | "cancelled"
  | "expired"
  | "failed"
  | "rejected"
  | "refunded"
  | "disputed";

interface Meaning {
  readonly stage: Stage;
  readonly word: CommonStatus | undefined;
}

const spellings: readonly [Stage, CommonStatus, readonly string[]][] = [
  [
    "waiting",
    "pending",
    [
      "PENDING",
      "WAITING",
      "WAITING_PAYMENT",
      "AWAITING_PAYMENT",
      "PENDING_PAYMENT",
      "PENDENTE",
      "PENDIENTE",
      "NEW",
      "AGUARDANDO",
      "AGUARDANDO_PAGAMENTO",
      "PENDIENTE_DE_PAGO",
    ],
  ],
  ["working", "processing", ["PROCESSING", "IN_PROGRESS", "PROCESSANDO", "EM_PROCESSAMENTO", "EN_PROCESO"]],
  ["good", "paid", ["PAID", "PAGO", "PAGADO"]],
  ["good", "approved", ["APPROVED", "APROVADO", "APROBADO"]],
  ["good", "completed", ["COMPLETED", "COMPLETE", "FINISHED", "CONCLUIDO", "FINALIZADO", "COMPLETADO"]],
  ["good", "delivered", ["DELIVERED", "ENTREGUE", "ENTREGADO"]],
  ["good", "shipped", ["SHIPPED", "ENVIADO"]],
  ["ended", "cancelled", ["CANCELLED", "CANCELED", "CANCELADO"]],
  ["ended", "expired", ["EXPIRED", "EXPIRADO", "VENCIDO"]],
  ["ended", "failed", ["FAILED", "FALHOU", "FALLIDO"]],
  ["ended", "rejected", ["REJECTED", "REFUSED", "DECLINED", "RECUSADO", "RECHAZADO"]],
  ["reversed", "refunded", ["REFUNDED", "REEMBOLSADO"]],
  ["reversed", "disputed", ["CHARGEBACK", "CHARGED_BACK", "DISPUTED"]],
];

const known: ReadonlyMap<string, Meaning> = new Map(
  spellings.flatMap(([stage, word, spelled]) => spelled.map((status) => [status, { stage, word }] as const)),
);
/** Twice the longest usual word with accents. A longer status is not looked up: its stage is `unknown`. */
const longestSpelling = 60;
const unknown: Meaning = { stage: "unknown", word: undefined };

/**
 * Finds the meaning of a status; case, separators and accents do not count. The API documents only `PENDING`
 * (store-open-api 3); the others are usual words.
 */
export function meaningOf(status: string): Meaning {
  if (status.length > longestSpelling) return unknown;
  const spelled = status
    .trim()
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toUpperCase()
    .replaceAll(/[\s-]+/g, "_");
  return known.get(spelled) ?? unknown;
}

/** Cancelled or refunded: the bot stops following the order. A dispute may still end either way. */
export function isClosed(status: string): boolean {
  const { word } = meaningOf(status);
  return word === "refunded" || word === "cancelled";
}

/** Cancelled, refunded, or delivered to the customer. */
export function isOver(status: string): boolean {
  const { stage, word } = meaningOf(status);
  return (
    stage === "ended" || stage === "reversed" || word === "delivered" || word === "completed" || word === "shipped"
  );
}

/** Whether refunds are announced in the channel: only if both new and paid orders are. */
export function tellsRefunds(statuses: readonly string[]): boolean {
  const has = (stage: Stage) => statuses.some((status) => meaningOf(status).stage === stage);
  return has("waiting") && has("good");
}
