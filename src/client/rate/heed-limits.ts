import { highestRate, lowestRate } from '../../runtime/terms/rate-bounds.ts';
import type { RateLimits } from '../judge/read-rate-limits.ts';
import { allowedRate, isAhead, longestSpreadS, type Sender } from './adapt-rate.ts';
import type { RateMemory } from './rate-memory.ts';

/** A reset within a second says nothing, because it is told in whole seconds. */
const shortestResetS = 1;
/** What is left of a quota changes with every answer. */
const worthTelling = 0.1;

/** A wait that is longer by less than this is the same wait. */
const sameWaitMs = 1_000;

/** The service has told of its limits. */
export function noteLimits(
  memory: RateMemory,
  { policies, left }: RateLimits,
  sender: Sender,
  { nowMs, wallMs, maxWaitMs }: { nowMs: number; wallMs: number; maxWaitMs: number },
): RateMemory {
  const told = policies.length > 0 ? withPolicy(memory, policyRateOf(policies)) : memory;
  if (!left || left.resetS <= shortestResetS) return told;
  const resetMs = left.resetS * 1_000;
  if (left.remaining < 1) {
    // A longer wait than the job allows is not taken from a header alone: a refusal will tell.
    if (resetMs > maxWaitMs) return told;
    const knownMs = told.exhausted ? exhaustedMs(told.exhausted, nowMs, wallMs) : 0;
    if (knownMs > resetMs - sameWaitMs) return told;
    return { ...told, exhausted: { untilMs: nowMs + resetMs, untilWallMs: wallMs + resetMs } };
  }
  return left.resetS > longestSpreadS ? told : spread(told, left, sender, nowMs);
}

export function withPolicy(memory: RateMemory, policyRate: number | undefined): RateMemory {
  if (policyRate === memory.policyRate) return memory;
  const { policyRate: _, ...others } = memory;
  return policyRate === undefined ? others : { ...others, policyRate };
}

/** Shares out what is left of a quota over the time until it is whole again. */
function spread(
  memory: RateMemory,
  { remaining, resetS }: NonNullable<RateLimits['left']>,
  sender: Sender,
  nowMs: number,
): RateMemory {
  const { spread: old, ...others } = memory;
  const present = isAhead(old?.untilMs, nowMs) ? old : undefined;
  const perSecond = Math.max(lowestRate, remaining / resetS);
  const share = perSecond / Math.min(highestRate, allowedRate(others, sender, nowMs).perSecond);
  if (share >= 1) return present ? others : memory;
  // A quota that is used up as fast as it comes back would change the rate with every answer.
  if (!present && share > 1 - worthTelling) return memory;
  if (present && Math.abs(perSecond / present.perSecond - 1) < worthTelling) return memory;
  return { ...others, spread: { perSecond, untilMs: nowMs + resetS * 1_000 } };
}

/**
 * The lowest rate of the policies. A quota of more than a minute is left to the ceiling: a day's worth is not
 * spread over the day.
 */
function policyRateOf(policies: RateLimits['policies']): number | undefined {
  const rates = policies
    .filter(({ windowS }) => windowS <= longestSpreadS)
    .map(({ quota, windowS }) => Math.max(lowestRate, quota / windowS))
    .filter((perSecond) => perSecond <= highestRate);
  return rates.length > 0 ? Math.min(...rates) : undefined;
}

/** How long no request may leave, because the quota is spent. */
export function exhaustedMs(
  { untilMs, untilWallMs }: NonNullable<RateMemory['exhausted']>,
  nowMs: number,
  wallMs: number,
): number {
  // One clock may be set and the other starts anew with the machine; the wait ends with the first.
  return Math.max(0, Math.min(untilMs - nowMs, untilWallMs - wallMs));
}
