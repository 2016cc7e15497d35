/** A first miss expires soon enough for the next nightly run to look it up again. */
const firstMissMs = 20 * 3_600_000;
/** Without another company that was found meanwhile, a service is given this time. */
const quietMs = 48 * 3_600_000;

/**
 * What a run makes of a company that was found before.
 *
 * - `known`: found. Runs reuse the hit as long as `reuse.companies` allows.
 * - `kept`: missed, but perhaps by mistake. Its rows keep the company, and it is looked up again.
 * - `vanished`: missed like half of the known companies, so the service may be broken and the
 *   result is held. The next run that is not a trial looks all of them up again, ten before other
 *   calls (the recheck), and stops if half are missing. Once the result is accepted, they are gone.
 * - `gone`: missed, and believed. Its rows are not found, and runs reuse the miss as long as
 *   `reuse.misses` allows.
 */
export type CompanyState = 'known' | 'kept' | 'vanished' | 'gone';

export interface Misses {
  /** The id of the first miss since the last hit. */
  readonly firstId: number;
  readonly count: number;
  /** The time from the first miss to the last. */
  readonly forMs: number;
}

export interface CompanyHistory {
  readonly isFound?: boolean;
  /** It was found for the last published result. */
  readonly isPublished?: boolean;
  /** So were many other companies that were missed now; see `haveVanished`. */
  readonly areManyMissing?: boolean;
  readonly isTrial?: boolean;
  readonly misses?: Misses;
  /** The last answer in which the service found any company. */
  readonly foundId?: number;
}

export function companyState(history: CompanyHistory): CompanyState {
  const { isFound, isPublished, areManyMissing, isTrial, misses, foundId = 0 } = history;
  if (isFound) return 'known';
  if (isPublished) return areManyMissing ? 'vanished' : 'kept';
  if (!misses || isTrial) return 'kept';
  const { count, firstId, forMs } = misses;
  const isBelieved = count >= 2 && (foundId > firstId || (count >= 3 && forMs >= quietMs));
  return isBelieved ? 'gone' : 'kept';
}

/** If half of 10 known companies, or all of 5, are missed at once, the service may be broken. */
export function haveVanished(known: number, missed: number): boolean {
  return known >= 10 ? missed * 2 >= known : known >= 5 && missed === known;
}

/** How long runs reuse the last miss of a kept company. */
export function missAgeMs({ count, forMs }: Misses): number {
  return Math.max(firstMissMs, count > 1 ? quietMs - forMs : 0);
}
