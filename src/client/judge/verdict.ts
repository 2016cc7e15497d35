import type { CompanyNames } from '../../contract/company-names.ts';

/** What an attempt means for its call. */
export type Verdict =
  | { readonly kind: 'hit'; readonly companyId?: string; readonly names?: CompanyNames }
  | { readonly kind: 'miss' }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'throttled' }
  /** The key is wrong, whatever is asked. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The key may not ask this, or the key is wrong, or something on the way has refused the call. */
  | { readonly kind: 'forbidden'; readonly message: string }
  | { readonly kind: 'quota'; readonly message: string }
  /** May go better next time. */
  | {
      readonly kind: 'transient';
      readonly reason: string;
      /** No connection was made, so the call itself cannot be the cause. */
      readonly isUnreached?: boolean;
    }
  /** A 404 that says nothing: a miss of the right service, or no answer of a wrong address. */
  | { readonly kind: 'unproven'; readonly reason: string }
  /** Will not go better next time. */
  | { readonly kind: 'unusable'; readonly reason: string }
  /** An answer over the limit; asking again would be paid for again. */
  | { readonly kind: 'oversized'; readonly reason: string };
