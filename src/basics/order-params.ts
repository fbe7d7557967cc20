/** Names of the query parameters of the order list (STORE_ORDER_PARAMS). The API document does not have them. */
export interface OrderParams {
  readonly page: string;
  readonly limit: string;
  readonly email: string;
  readonly status: string;
}
