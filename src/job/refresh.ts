import { DossierError } from '../errors.ts';
import { formatDuration, parseDuration } from '../runtime/duration.ts';
import type { ResolvedJob } from './resolved-job.ts';

/** What `--refresh` asks again on purpose, though the ledger has an answer that is fresh for the job. */
export type Refresh =
  | { readonly what: 'misses' | 'failed' | 'all' }
  | { readonly what: 'older-than'; readonly ageMs: number };

const expected = 'misses, failed, all, or older-than and a time such as 7d';

/** `older-than 7d`, also `older-than=7d`. */
export function readRefresh(given: string | undefined): Refresh | undefined {
  if (given === undefined) return undefined;
  if (given === 'misses' || given === 'failed' || given === 'all') return { what: given };
  const [, age = ''] = /^older-than[ =](.*)$/s.exec(given) ?? [];
  const ageMs = parseDuration(age.trim());
  if (ageMs === undefined) {
    throw new DossierError(
      'USAGE',
      `--refresh: expected ${expected}, not ${JSON.stringify(given)}`,
    );
  }
  return { what: 'older-than', ageMs };
}

/** As it is typed. */
export function refreshText(refresh: Refresh): string {
  return refresh.what === 'older-than'
    ? `older-than ${formatDuration(refresh.ageMs)}`
    : refresh.what;
}

/** The terms by which a run takes answers from the ledger where some are to be asked again. */
export function refreshedReuse(
  reuse: ResolvedJob['reuse'],
  refresh: Refresh | undefined,
): ResolvedJob['reuse'] {
  const { companiesMs, missesMs, peopleMs } = reuse;
  switch (refresh?.what) {
    case undefined:
      return reuse;
    case 'misses':
      // Refused and oversized answers live as long as misses do, and are none.
      return { ...reuse, missesMs: 0, refusedMs: missesMs };
    case 'failed':
      return { ...reuse, refusedMs: 0 };
    case 'all':
      return { ...reuse, companiesMs: 0, missesMs: 0, peopleMs: 0 };
    case 'older-than': {
      const capped = (ms: number) => Math.min(ms, refresh.ageMs);
      return {
        ...reuse,
        companiesMs: capped(companiesMs),
        missesMs: capped(missesMs),
        peopleMs: capped(peopleMs),
        // What is younger than was said is not asked for.
        spread: 0,
      };
    }
  }
}
