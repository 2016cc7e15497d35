/** How runs share what belongs to a service and key. */
export interface ShareOptions {
  /** Address of Redis; a secret. */
  readonly address: URL;
  /** How long answers stay in Redis after they were fetched. */
  readonly keepMs: { readonly companies: number; readonly people: number };
  /** The bytes of answers that may lie there. */
  readonly maxBytes: number;
}
