import type { ResolvedJob } from '../../job/resolved-job.ts';

/** How many calls are made at once, and leased at most. */
export interface CallsAtOnce {
  readonly atOnce: number;
  readonly maxInFlight: number;
  /** Stored answers bring the number back up, step by step, after starts that died. */
  noteStored(answers: number): void;
}

/** The number doubles after this many answers for each call at once. */
const roundsToDouble = 4;

/**
 * Halves the calls at once for each start that died with calls in flight before any was answered:
 * what killed it, such as too little memory, would kill the next one, and each pays for its calls.
 */
export function openCallsAtOnce(
  { concurrency, rate }: Pick<ResolvedJob['limits'], 'concurrency' | 'rate'>,
  deadStarts = 0,
): CallsAtOnce {
  let atOnce = Math.max(1, Math.floor(concurrency / 2 ** deadStarts));
  let stored = 0;
  return {
    get atOnce() {
      return atOnce;
    },
    get maxInFlight() {
      return atOnce < concurrency ? atOnce : mostInFlight(concurrency, rate);
    },
    noteStored(answers) {
      if (atOnce === concurrency) return;
      stored += answers;
      if (stored < roundsToDouble * atOnce) return;
      stored = 0;
      atOnce = Math.min(concurrency, 2 * atOnce);
    },
  };
}

/**
 * How many calls may be leased. With few at once these are the calls on the wire. With many, others
 * wait in the client, so that no connection is idle during a commit: as many again, or three times
 * as many where no rate holds them back.
 */
function mostInFlight(concurrency: number, rate: ResolvedJob['limits']['rate']): number {
  if (concurrency < 32) return concurrency;
  return concurrency * (rate === 'none' ? 4 : 2);
}
