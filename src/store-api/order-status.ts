import { codeKey } from "../basics/folded.ts";
import type { Order } from "./schemas.ts";

/** The only status in the API document (store-open-api 3). */
export const documentedStatus = "PENDING";

/** Ignores case, and blanks around the status. */
export const statusKey = (status: string): string => status.trim().toUpperCase();

export const sameStatus = (one: string, other: string): boolean => statusKey(one) === statusKey(other);

/** The keys are made once, because a list may have thousands of orders. */
export function hasStatusOf(statuses: readonly string[]): (order: Pick<Order, "status">) => boolean {
  const keys = new Set(statuses.map(statusKey));
  return ({ status }) => keys.has(statusKey(status));
}

export const hasStatus = (order: Pick<Order, "status">, statuses: readonly string[]): boolean =>
  hasStatusOf(statuses)(order);

/**
 * `waiting`: not paid yet. `working`: the payment is being checked, or the order is being prepared. `good`: paid, perhaps also
 * delivered. `ended`: failed, expired, rejected or cancelled. `reversed`: refunded or disputed. `unknown`: no common status.
 */
type Stage = "waiting" | "working" | "good" | "ended" | "reversed" | "unknown";

/** Keys are those of the translated words. */
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
/** Three times the longest spelling above, because accents may be separate characters. */
const longestStatus = 60;
const unknown: Meaning = { stage: "unknown", word: undefined };

/** Ignores case, accents, and the kind of separator between words. */
export function meaningOf(status: string): Meaning {
  if (status.length > longestStatus) return unknown;
  return known.get(codeKey(status)) ?? unknown;
}

/** The order is paid, and perhaps also delivered. */
export const isGood = (status: string): boolean => meaningOf(status).stage === "good";

/** The order was paid back, or its payment is disputed. */
export const isReversed = (status: string): boolean => meaningOf(status).stage === "reversed";

/**
 * `statuses` are those that cause alerts. If one of them is good, each good status means paid, because an order may be
 * delivered before a poll sees it paid. An unknown status means paid if `statuses` has it.
 */
export function isPaid(status: string, statuses: readonly string[]): boolean {
  if (isGood(status)) return statuses.some(isGood);
  return meaningOf(status).stage === "unknown" && hasStatus({ status }, statuses);
}

const unsold: ReadonlySet<Stage> = new Set(["waiting", "ended", "reversed"]);

/** Whether sums count an order with this status as sold. An unknown status counts as sold. */
export const isSold = (status: string): boolean => !unsold.has(meaningOf(status).stage);

/** Cancelled or refunded, but not disputed. */
export function isClosed(status: string): boolean {
  const { word } = meaningOf(status);
  return word === "refunded" || word === "cancelled";
}

/** Whether the store has nothing left to do for an order with this status. */
export function isFinished(status: string): boolean {
  const { stage, word } = meaningOf(status);
  return (
    stage === "ended" || stage === "reversed" || word === "delivered" || word === "completed" || word === "shipped"
  );
}

/** Refunds are announced in servers that have alerts for new orders and for paid orders. */
export function tellsRefunds(statuses: readonly string[]): boolean {
  const has = (stage: Stage) => statuses.some((status) => meaningOf(status).stage === stage);
  return has("waiting") && has("good");
}
