import type { RateMemory } from '../rate-memory.ts';

/*
 * A stray refusal has nothing to do with the rate: a service that refuses one request in ten does so however
 * few are sent, and a rate that each of them lowers would end at next to nothing.
 */

/** A rate below this share of what passes is not what the service refuses. */
const passingShare = 0.9;
/** So many refusals at such rates prove that they stray. */
const provenBy = 5;
/** Where more of the requests are refused, something else is wrong, and slower is better. */
const highestShare = 0.3;
/** Once proven, their share is looked at after so many requests. */
const watchedRequests = 50;
/** A share that has become so much larger is not that of stray refusals alone. */
const suspicious = (share: number) => 2 * share + 0.05;

/** What was seen of the service when it refused a request. */
export interface Refusal {
  /** The rate that held. */
  readonly perSecond: number;
  /** The most requests a second that it has taken of late. */
  readonly passedPerSecond: number;
  /** Requests that it has taken since the last refusal. */
  readonly answered: number;
}

type Stray = NonNullable<RateMemory['stray']>;

export interface JudgedRefusal {
  readonly memory: RateMemory;
  /** Whether the rate is to be lowered for it. */
  readonly isOfRate: boolean;
}

/** Whether stray refusals are expected of the service. */
export function expectsStray({ stray }: RateMemory): boolean {
  return stray?.share !== undefined;
}

/** Judges a refusal that is not among those of a rate that was just lowered. */
export function judgeRefusal(memory: RateMemory, refusal: Refusal): JudgedRefusal {
  const { stray = { answered: 0, refused: 0 } } = memory;
  const { perSecond, passedPerSecond, answered } = refusal;
  const seen = { ...stray, answered: stray.answered + answered, refused: stray.refused + 1 };
  if (stray.share !== undefined) return watch(memory, seen, stray.share);
  if (perSecond > passingShare * passedPerSecond) return { memory, isOfRate: true };
  if (seen.refused < provenBy) return { memory: { ...memory, stray: seen }, isOfRate: false };
  const share = shareOf(seen);
  if (share > highestShare) return { memory: forgetting(memory, seen), isOfRate: true };
  const proven = { ...memory, stray: { ...seen, ...nothingSeen, share } };
  const { recovery: _, ...unlimited } = proven;
  // What was lowered for stray refusals comes back at once, but not for a second time.
  return { memory: stray.wasWrong ? proven : unlimited, isOfRate: false };
}

function watch(memory: RateMemory, seen: Stray, known: number): JudgedRefusal {
  if (seen.answered + seen.refused < watchedRequests) {
    return { memory: { ...memory, stray: seen }, isOfRate: false };
  }
  const share = shareOf(seen);
  if (share > suspicious(known)) return { memory: forgetting(memory, seen), isOfRate: true };
  const stray = { ...seen, ...nothingSeen, share: (share + known) / 2 };
  return { memory: { ...memory, stray }, isOfRate: false };
}

const nothingSeen = { answered: 0, refused: 0 };

/** Begins anew. What was once proven and then was not true is told apart. */
function forgetting(memory: RateMemory, { share, wasWrong }: Stray): RateMemory {
  const isWrong = wasWrong || share !== undefined;
  return { ...memory, stray: { ...nothingSeen, ...(isWrong && { wasWrong: true }) } };
}

function shareOf({ answered, refused }: Stray): number {
  return refused / (answered + refused);
}
