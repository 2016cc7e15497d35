import { z } from 'zod';

/**
 * What a call brought. A failure is no answer of the service, and is never a cache hit. An oversized
 * answer was paid for, so it is one.
 */
export type Outcome = 'hit' | 'miss' | 'invalid' | 'oversized' | 'failed';

/** How a run came by an answer: by its own call, from the cache, or by another identifier's answer. */
export type Source = 'called' | 'reused' | 'joined';

/** How a row ended. */
export type RowStatus = 'matched' | 'not_found' | 'invalid' | 'failed' | 'suppressed';

/** How a row stands in the files of a run that may not have finished. */
export type RecordStatus = RowStatus | 'open';

/**
 * Whether the answer carries the identifier that was asked for. A joined one does, but was given for
 * another identifier of the company.
 */
export type Match = 'exact' | 'alias' | 'joined' | 'mismatch' | 'unverified';

const count = (about: string) => z.int().nonnegative().describe(about);

/** Where a run stands: the part of its facts that the ledger keeps up to date. */
export const RunCounts = z.strictObject({
  rows: z
    .strictObject({
      matched: count('Rows with a company.'),
      not_found: count('Rows whose company the service does not know.'),
      invalid: count('Rows that were rejected, by Dossier or by the service.'),
      failed: count('Rows that failed after all attempts.'),
      suppressed: count('Rows that `suppress` or `dossier forget` leaves out.'),
      open: count('Rows without an outcome yet.'),
      stale: count('Rows among these that keep an older answer.'),
    })
    .describe('Rows by outcome, as in the files where files were written.'),
  calls: z
    .strictObject({
      made: count('Answered by the service.'),
      shared: count('Not needed because another row asks the same.'),
      reused: count('Answered by the ledger.'),
      joined: count('Answered for another identifier of the same company.'),
      failed: count('Failed after all attempts.'),
      open: count('Needed and not answered yet.'),
    })
    .describe('Calls of the whole run.'),
  people: count('People found, each once where files were written.'),
  failedSearches: count('People searches without an answer.'),
  incompleteSearches: count('People searches that may not have brought everybody.'),
});
export type Counts = z.output<typeof RunCounts>;

/** The counts of a run that has read nothing yet. */
export const noCounts = (): Counts => ({
  rows: { matched: 0, not_found: 0, invalid: 0, failed: 0, suppressed: 0, open: 0, stale: 0 },
  calls: { made: 0, shared: 0, reused: 0, joined: 0, failed: 0, open: 0 },
  people: 0,
  failedSearches: 0,
  incompleteSearches: 0,
});

/** How an answered call is counted. */
export function countedAs(source: Source) {
  return source === 'called' ? 'made' : source;
}

/** Rows of the list, ended or open. */
export function totalRows({ rows }: Pick<Counts, 'rows'>): number {
  const { stale: _, ...statuses } = rows;
  return Object.values(statuses).reduce((sum, some) => sum + some, 0);
}

/** Corrections by how they fare with a list. */
export interface CorrectionCounts {
  readonly applied: number;
  /** Those whose cell has another value than the rejected one. */
  readonly unneeded: number;
  /** Those whose row the list does not have. */
  readonly missing: number;
}

/** Fewer misses may be chance. */
const enoughMisses = 10;

/** Whether a service that answers knows none of many rows: then the job is wrong rather than the rows. */
export function foundNothing(rows: { readonly matched: number; readonly not_found: number }) {
  return rows.matched === 0 && rows.not_found >= enoughMisses;
}
