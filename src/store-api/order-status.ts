import type { Order } from "./schemas.ts";

/** The only status that the API document shows (store-open-api 3). */
export const documentedStatus = "PENDING";

/** Returns a key that is equal for equal statuses: case and surrounding blanks do not count. */
export const statusKey = (status: string): string => status.trim().toUpperCase();

/** Whether two statuses are the same. */
export const sameStatus = (one: string, other: string): boolean => one === other || statusKey(one) === statusKey(other);

/** Returns a test whether an order has one of these statuses. For many orders it is faster than {@link hasStatus}. */
export function withStatus(statuses: readonly string[]): (order: Pick<Order, "status">) => boolean {
  const keys = new Set(statuses.map(statusKey));
  return ({ status }) => keys.has(statusKey(status));
}

/** Whether an order has one of these statuses. */
export const hasStatus = ({ status }: Pick<Order, "status">, statuses: readonly string[]): boolean =>
  statuses.some((wanted) => sameStatus(wanted, status));

/**
 * The progress of an order, as its status shows it: `waiting` for payment; `working`: in progress; `good`: paid, or
 * further; `ended`: failed or cancelled without payment; `reversed`: paid back or disputed.
 */
export type Stage = "waiting" | "working" | "good" | "ended" | "reversed" | "unknown";

/** Statuses that stores commonly use, by the word that views have for them in every language; blanks separate spellings. */
const common = {
  pending: [
    "waiting",
    "PENDING WAITING WAITING_PAYMENT AWAITING_PAYMENT PENDING_PAYMENT PENDENTE PENDIENTE NEW AGUARDANDO AGUARDANDO_PAGAMENTO PENDIENTE_DE_PAGO",
  ],
  processing: ["working", "PROCESSING IN_PROGRESS PROCESSANDO EM_PROCESSAMENTO EN_PROCESO"],
  paid: ["good", "PAID PAGO PAGADO"],
  approved: ["good", "APPROVED APROVADO APROBADO"],
  completed: ["good", "COMPLETED COMPLETE FINISHED CONCLUIDO FINALIZADO COMPLETADO"],
  delivered: ["good", "DELIVERED ENTREGUE ENTREGADO"],
  shipped: ["good", "SHIPPED ENVIADO"],
  cancelled: ["ended", "CANCELLED CANCELED CANCELADO"],
  expired: ["ended", "EXPIRED EXPIRADO VENCIDO"],
  failed: ["ended", "FAILED FALHOU FALLIDO"],
  rejected: ["ended", "REJECTED REFUSED DECLINED RECUSADO RECHAZADO"],
  refunded: ["reversed", "REFUNDED REEMBOLSADO"],
  disputed: ["reversed", "CHARGEBACK CHARGED_BACK DISPUTED"],
} as const satisfies Readonly<Record<string, readonly [Stage, spellings: string]>>;

export type CommonStatus = keyof typeof common;

interface Meaning {
  readonly stage: Stage;
  readonly word: CommonStatus | undefined;
}

const known: ReadonlyMap<string, Meaning> = new Map(
  (Object.keys(common) as CommonStatus[]).flatMap((word) => {
    const [stage, spellings] = common[word];
    return spellings.split(" ").map((status) => [status, { stage, word }] as const);
  }),
);
/** Twice the longest usual word with accents. A longer status is not looked up. */
const longestSpelling = 60;
const unknown: Meaning = { stage: "unknown", word: undefined };

/** Finds the meaning of a status; case, separators and accents do not count. */
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
