/**
 * What a call brought. A failure is no answer of the service, and is never a cache hit. An oversized
 * answer was paid for, so it is one.
 */
export type Outcome = 'hit' | 'miss' | 'invalid' | 'oversized' | 'failed';

/** How a run came by an answer: by its own call, from the cache, or by another identifier's answer. */
export type Source = 'called' | 'reused' | 'joined';

/** How a row ended. */
export type RowStatus = 'matched' | 'not_found' | 'invalid' | 'failed';

/** How a row stands in the files of a run that may not have finished. */
export type RecordStatus = RowStatus | 'open';

/**
 * Whether the answer carries the identifier that was asked for. A joined one does, but was given for
 * another identifier of the company.
 */
export type Match = 'exact' | 'alias' | 'joined' | 'mismatch' | 'unverified';

/** Where a run stands. Terminal, JSON, report and metrics are all shown from this. */
export interface Counts {
  readonly rows: Readonly<Record<RecordStatus, number>>;
  /**
   * Calls by how their answer came to the run. A failed call is counted under its source, too. `shared` is
   * how often a row asked what another had asked before, which takes no call.
   */
  readonly calls: Readonly<Record<Source | 'open' | 'failed' | 'shared', number>>;
  /** Rows among the ended ones that keep an older answer, because the call for a newer one failed. */
  readonly stale: number;
  /** People received, each as often as it came. */
  readonly people: number;
  readonly failedSearches: number;
  /** People searches that ended and may not have brought everybody. */
  readonly incompleteSearches: number;
}

/** Rows of the list, ended or open. */
export function totalRows({ rows }: Counts): number {
  return rows.open + rows.matched + rows.not_found + rows.invalid + rows.failed;
}

/** Calls that the service has answered. One that failed was made as well, but brought nothing. */
export function answeredCalls({
  called,
  failed,
}: Pick<Counts['calls'], 'called' | 'failed'>): number {
  return called - failed;
}

/** Corrections by how they fare with a list. */
export interface CorrectionCounts {
  readonly applied: number;
  /** Those whose cell has another value than the rejected one. */
  readonly unneeded: number;
  /** Those whose row the list does not have. */
  readonly missing: number;
}
