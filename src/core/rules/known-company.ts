/**
 * What a run makes of a company that was found before:
 *
 * | the run                                 | it is      | its rows          | it is looked up again         |
 * | --------------------------------------- | ---------- | ----------------- | ----------------------------- |
 * | finds it                                | `known`    | have it           | after `reuse.companies`       |
 * | misses it, perhaps by mistake           | `kept`     | keep it, as stale | after 20 h                    |
 * | misses it, like half of those known     | `vanished` | are not found;    | by the next run, if no trial, |
 * |                                         |            | result is held    | ten before all other calls    |
 * | misses it again                         | `kept`     | keep it, as stale | after 20 h, or later          |
 * | misses it again, found others since     | `gone`     | are not found     | after `reuse.misses`          |
 * | misses it a third time, after 48 h      | `gone`     | are not found     | after `reuse.misses`          |
 * | misses it as a trial                    | `kept`     | keep it, as stale | as before                     |
 * | was held for it, and is accepted        | `gone`     | are not found     | after `reuse.misses`          |
 *
 * Others count if a later run than that of the first miss found them: a service that fails for a part
 * of a run proves nothing by the rest of it.
 *
 * Those ten are the recheck: if half of them are still missing, the run stops. Rows that keep a company
 * are stale in files, but not in the counts of a run, because no call failed.
 */

/** A first miss expires soon enough for the next nightly run to look it up again. */
const firstMissMs = 20 * 3_600_000;
/** Without another company that was found meanwhile, a service is given this time. */
const quietMs = 48 * 3_600_000;

export interface Misses {
  /** The id of the first miss since the last hit. */
  readonly firstId: number;
  readonly count: number;
  /** The time from the first miss to the last. */
  readonly forMs: number;
}

/** Whether the misses of a kept company are believed. */
export function isGone(
  { count, forMs }: Misses,
  /** A run after that of the first miss found another company at the service. */
  hasFoundSince: boolean,
  isTrial: boolean,
): boolean {
  return !isTrial && count >= 2 && (hasFoundSince || (count >= 3 && forMs >= quietMs));
}

/** If half of 10 known companies, or all of 5, are missed at once, the service may be broken. */
export function haveVanished(known: number, missed: number): boolean {
  return known >= 10 ? missed * 2 >= known : known >= 5 && missed === known;
}

/** How long runs reuse the last miss of a kept company. */
export function missAgeMs({ count, forMs }: Misses): number {
  return Math.max(firstMissMs, count > 1 ? quietMs - forMs : 0);
}
