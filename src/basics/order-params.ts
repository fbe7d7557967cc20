/** Names of the order list's query parameters (STORE_ORDER_PARAMS). The API document does not show them. */
export interface OrderParams {
  readonly page: string;
  readonly limit: string;
  readonly email: string;
  readonly status: string;
}
