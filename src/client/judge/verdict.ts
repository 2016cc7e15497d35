import type { CompanyNames } from '../../contract/company-names.ts';

/** What an attempt means for its call. */
export type Verdict =
  | { readonly kind: 'hit'; readonly companyId?: string; readonly names?: CompanyNames }
  | { readonly kind: 'miss' }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'throttled' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'quota'; readonly message: string }
  /** May go better next time. */
  | { readonly kind: 'transient'; readonly reason: string }
  /** Will not go better next time. */
  | { readonly kind: 'unusable'; readonly reason: string }
  /** An answer over the limit; asking again would be paid for again. */
  | { readonly kind: 'oversized'; readonly reason: string };
