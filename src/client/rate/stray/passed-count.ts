/** Requests a second that the service has taken of late. */
export interface Passed {
  readonly average: number;
  readonly most: number;
}

/** Counts what the service takes, to know a rate that passes. */
export interface PassedCount {
  add(): void;
  /** Requests that were taken since the last refusal. */
  sinceRefusal(): number;
  /** A request was refused; gives how many in a row were. */
  refuse(): number;
  /** Requests a second that were taken of late: on average, and at most. */
  perSecond(): Passed;
}

/** Answers come with jitter: over two seconds it says little. */
const spanMs = 2_000;
/** What passed longer ago than so many spans may not pass any more. */
const spansKept = 6;

export function openPassedCount(nowMs: () => number): PassedCount {
  const counts = new Float64Array(spansKept);
  let span = 0;
  let passed = 0;
  let refusedInARow = 0;
  const current = () => {
    const now = Math.floor(nowMs() / spanMs);
    // A clock that starts anew with the machine has nothing to tell of before.
    const passedSpans = now < span ? spansKept : Math.min(spansKept, now - span);
    for (let index = 0; index < passedSpans; index += 1) counts[(now - index) % spansKept] = 0;
    span = now;
    return now % spansKept;
  };
  return {
    add() {
      const place = current();
      counts[place] = (counts[place] ?? 0) + 1;
      passed += 1;
      refusedInARow = 0;
    },
    sinceRefusal: () => passed,
    refuse() {
      passed = 0;
      refusedInARow += 1;
      return refusedInARow;
    },
    perSecond() {
      current();
      const sum = counts.reduce((total, count) => total + count, 0);
      return {
        average: (sum * 1_000) / (spanMs * spansKept),
        most: (Math.max(...counts) * 1_000) / spanMs,
      };
    },
  };
}
