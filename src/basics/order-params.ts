/**
 * The names of the order list's query parameters. The operator can set them (STORE_ORDER_PARAMS), because the API's document
 * does not name them.
 */
export interface OrderParams {
  readonly page: string;
  readonly limit: string;
  readonly email: string;
  readonly status: string;
}
