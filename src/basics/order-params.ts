/** Query parameters of the order list (STORE_ORDER_PARAMS). The API document does not name them. */
export interface OrderParams {
  readonly page: string;
  readonly limit: string;
  readonly email: string;
  readonly status: string;
}
