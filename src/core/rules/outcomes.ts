import { z } from 'zod';
import { count } from '../values/fields.ts';

/** `failed` is never cached. `oversized` and `unreadable` are cached, because they were paid for. */
export type CallResultKind = 'hit' | 'miss' | 'invalid' | 'oversized' | 'unreadable' | 'failed';

export type Source = 'called' | 'reused' | 'joined';

export type RowStatus = 'matched' | 'not_found' | 'invalid' | 'failed' | 'suppressed';

export type RecordStatus = RowStatus | 'open';

/** `joined`: the answer contains this identifier, but was fetched with a different one. */
export type Match = 'exact' | 'alias' | 'joined' | 'mismatch' | 'unverified';

export const CallsOfService = z.strictObject({
  made: count('Calls that the service answered.'),
  hits: count('Answers with a company or people.'),
  misses: count('Answers without a company.'),
  failed: count('Calls that failed after all attempts.'),
  reused: count('Calls answered from the ledger.'),
});

export type CallsOfService = z.output<typeof CallsOfService>;

export const RunCounts = z.strictObject({
  rows: z
    .strictObject({
      matched: count('Rows with a company.'),
      not_found: count('Rows whose company the service does not know.'),
      invalid: count('Rows that were rejected, by Dossier or by the service.'),
      failed: count('Rows that failed after all attempts.'),
      suppressed: count('Rows left out by `suppress` or `dossier forget`.'),
      open: count('Rows without an outcome yet.'),
      stale: count(
        'Rows that keep an older answer because a call failed; also counted above. `manifest.json` adds rows that keep a missed company.',
      ),
    })
    .describe('Rows by outcome. If files were written, the counts match them.'),
  calls: z
    .strictObject({
      made: count('Calls that the service answered.'),
      shared: count('Calls not needed because another row needs the same call.'),
      reused: count('Calls answered from the ledger.'),
      joined: count(
        'Calls not needed because a call by another identifier found the same company.',
      ),
      failed: count('Calls that failed after all attempts.'),
      open: count('Calls needed and not answered yet.'),
    })
    .describe('Calls of the whole run.'),
  people: count(
    'People found. Until files are written, a person found by two searches may count twice.',
  ),
  failedSearches: count('People searches without an answer.'),
  incompleteSearches: count('People searches that may not have found everybody.'),
});
export type Counts = z.output<typeof RunCounts> & {
  /** By name. Outputs leave this out if the job has one service. */
  services: Record<string, CallsOfService>;
};

export const noCounts = (): Counts => ({
  rows: { matched: 0, not_found: 0, invalid: 0, failed: 0, suppressed: 0, open: 0, stale: 0 },
  calls: { made: 0, shared: 0, reused: 0, joined: 0, failed: 0, open: 0 },
  people: 0,
  services: {},
  failedSearches: 0,
  incompleteSearches: 0,
});

export const noCallsOfService = (): CallsOfService => ({
  made: 0,
  hits: 0,
  misses: 0,
  failed: 0,
  reused: 0,
});

export function countedAs(source: Source) {
  return source === 'called' ? 'made' : source;
}

export function totalRows({ rows }: Pick<Counts, 'rows'>): number {
  const { stale: _, ...statuses } = rows;
  return Object.values(statuses).reduce((sum, some) => sum + some, 0);
}

const enoughMisses = 10;

/** If true, the job is probably wrong, not the rows. */
export function foundNothing(rows: { readonly matched: number; readonly not_found: number }) {
  return rows.matched === 0 && rows.not_found >= enoughMisses;
}
