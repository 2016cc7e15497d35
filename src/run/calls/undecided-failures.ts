import type { Answer } from '../../engine/queue/run-queue.ts';

export interface SentAnswer extends Answer {
  readonly serviceIndex: number;
}

/**
 * A failed call waits for the next answer, which shows that the service works. If the run stops
 * first, the call stays open.
 */
export function createUndecidedFailures() {
  let waiting: SentAnswer[] = [];
  return {
    count: () => waiting.length,
    /** Returns the answers that can be stored now. */
    add(answer: SentAnswer): SentAnswer[] {
      if (answer.result.kind === 'failed') {
        waiting.push(answer);
        return [];
      }
      if (waiting.length === 0) return [answer];
      const isHit = answer.result.kind === 'hit';
      // A result fetched elsewhere may be older than a failure. Then it does not show that the
      // service works again.
      const { shown = [], open = [] } = Object.groupBy(waiting, ({ result, fetchedAt }) =>
        fetchedAt <= answer.fetchedAt || (isHit && 'missIfProven' in result) ? 'shown' : 'open',
      );
      waiting = open;
      return [...decided(shown, isHit), answer];
    },
    drain: () => decided(waiting.splice(0), false),
  };
}

/** A hit proves that the address is right, so an empty 404 means that nothing was found. */
function decided(failures: readonly SentAnswer[], hasFound: boolean) {
  return failures.map((answer) => {
    if (answer.result.kind !== 'failed') return answer;
    const { missIfProven, ...failed } = answer.result;
    return { ...answer, result: (hasFound && missIfProven) || failed };
  });
}
