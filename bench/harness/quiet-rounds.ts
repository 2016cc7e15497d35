import { readFileSync } from 'node:fs';

export interface MeasuredRound<Result> {
  readonly result: Result;
  /** The share of the CPU that the host gave to others while this machine wanted it. */
  readonly stolenShare: number;
}

/** A round in which the host took more than this says more about the host. */
const mostStolenShare = 0.05;
/** A host that is never quiet is not waited for. */
const mostTimes = 4;

/**
 * Measures until so many rounds were left alone by the host; a small bench does not wait for that. What is compared with a rate has no other side
 * that would be slowed alike. Gives all rounds, the least disturbed first.
 */
export async function quietRounds<Result>(
  { rounds: wanted, isSmall }: { readonly rounds: number; readonly isSmall: boolean },
  measure: () => Promise<Result>,
): Promise<MeasuredRound<Result>[]> {
  const rounds: MeasuredRound<Result>[] = [];
  const isQuiet = ({ stolenShare }: MeasuredRound<Result>) => stolenShare <= mostStolenShare;
  const most = isSmall ? wanted : wanted * mostTimes;
  while (rounds.filter(isQuiet).length < wanted && rounds.length < most) {
    const before = readTicks();
    const result = await measure();
    const after = readTicks();
    const all = Math.max(1, after.all - before.all);
    rounds.push({ result, stolenShare: (after.stolen - before.stolen) / all });
  }
  return rounds.toSorted((one, other) => one.stolenShare - other.stolenShare);
}

/** The time of all cores since the start, as Linux counts it; elsewhere nothing is known to be stolen. */
function readTicks(): { readonly all: number; readonly stolen: number } {
  if (process.platform !== 'linux') return { all: 0, stolen: 0 };
  const [total = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  // user, nice, system, idle, iowait, irq, softirq, steal; the guests that follow are in user already.
  const ticks = total.trim().split(/\s+/).slice(1, 9).map(Number);
  return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 };
}
