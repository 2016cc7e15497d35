import { z } from 'zod';
import { formatDuration, parseDuration } from '../runtime/duration.ts';
import type { ResolvedJob } from './resolved-job.ts';

/** What `--refresh` asks again on purpose, though the ledger has an answer that is fresh for the job. */
export type Refresh =
  | { readonly what: 'misses' | 'failed' | 'all' }
  | { readonly what: 'older-than'; readonly ageMs: number };

/** `older-than 7d`, also `older-than=7d`. */
export const Refresh = z
  .string()
  .transform((given, problems): Refresh => {
    if (given === 'misses' || given === 'failed' || given === 'all') return { what: given };
    const [, age = ''] = /^older-than[ =](.*)$/s.exec(given) ?? [];
    const ageMs = parseDuration(age.trim());
    if (ageMs !== undefined) return { what: 'older-than', ageMs };
    problems.addIssue('misses, failed, all, or older-than and a time such as 7d');
    return z.NEVER;
  })
  .meta({
    flag: 'Ask again for what the ledger has: misses, failed, all, or older-than 7d; run it again to resume',
  });

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
