import { defaultRate, lowestRate } from '../../runtime/terms/rate-bounds.ts';
import type { RateMemory, Recovery } from './rate-memory.ts';
import type { Passed } from './stray/passed-count.ts';
import { expectsStray, judgeRefusal, type Refusal } from './stray/stray-refusals.ts';

/** Why no more requests may leave than do. */
export type RateReason = 'ceiling' | 'other job' | 'throttled' | 'policy' | 'quota';

/** The rate that holds at present; Infinity where nothing limits it. */
export interface Allowed {
  readonly perSecond: number;
  readonly reason: RateReason;
}

/** A process that sends, as the others on its ledger know it. */
export interface Sender {
  readonly id: string;
  /** Requests a second, which are never exceeded; Infinity for none. */
  readonly ceiling: number;
  readonly passed: Passed;
}

/** What a throttle leaves of the rate. */
const decrease = 0.85;
/** No single throttle takes more than this of the rate: it may have been a mishap. */
const lowestShare = 0.5;
/** Requests that leave so soon after a decrease meet a service that still counts those before it. */
const settleMs = 1_000;

/** How long the rate takes to come back to the one that was refused. */
const recoveryMs = 120_000;
/** A pause longer than this is no time in which the service has taken the rate. */
const longestStepMs = 1_000;
const stepMs = 100;
/** Where there is no ceiling, the rate is free again at so many times the one that was refused. */
const freeFrom = 2;

/** The longest time over which the rest of a quota is shared out. */
export const longestSpreadS = 60;

/** A process that has not sent for so long does not hold its ceiling any more. */
const senderMs = 30_000;
const senderStepMs = 5_000;

/**
 * The rate by all that is known: the ceilings of the processes that run, what throttles have left of it, the
 * policy of the service, and what remains of its quota.
 */
export function allowedRate(memory: RateMemory, sender: Sender, nowMs: number): Allowed {
  let allowed: Allowed = { perSecond: sender.ceiling, reason: 'ceiling' };
  const atMost = (perSecond: number | undefined, reason: RateReason) => {
    if (perSecond !== undefined && perSecond < allowed.perSecond) allowed = { perSecond, reason };
  };
  for (const { ceiling } of memory.senders) atMost(ceiling, 'other job');
  atMost(memory.recovery && recoveredRate(memory.recovery), 'throttled');
  atMost(memory.policyRate, 'policy');
  if (isAhead(memory.spread?.untilMs, nowMs)) atMost(memory.spread?.perSecond, 'quota');
  return allowed;
}

/** Keeps the memory up to date: the recovery goes on, and processes that have gone are forgotten. */
export function passTime(memory: RateMemory, sender: Sender, nowMs: number): RateMemory {
  return recover(withSenders(memory, sender, nowMs), sender, nowMs);
}

export function withoutSender(memory: RateMemory, { id }: Sender): RateMemory {
  return { ...memory, senders: memory.senders.filter((other) => other.id !== id) };
}

/**
 * A request that left at `leftAtMs` was throttled while so many left in a second. All that were under way
 * together lower the rate once, and those that stray do not.
 */
export function noteThrottled(
  known: RateMemory,
  sender: Sender,
  { leftAtMs, startedPerSecond, answered, nowMs }: Throttled,
): RateMemory {
  const before = known.recovery;
  const hasJustLowered = before && isPast(before.loweredAtMs, nowMs);
  const isSettling = hasJustLowered && leftAtMs < before.loweredAtMs + settleMs;
  if (isSettling && !expectsStray(known)) return known;
  const { perSecond } = allowedRate(known, sender, nowMs);
  const passedPerSecond = passedOf(known, sender);
  const { memory, isOfRate } = judgeRefusal(known, { perSecond, passedPerSecond, answered });
  if (!isOfRate || isSettling) return memory;
  const isFree = perSecond === Number.POSITIVE_INFINITY;
  // The rate may be far above what is sent, and then a share of it changes nothing.
  const used = isFree ? startedPerSecond : Math.min(perSecond, startedPerSecond || perSecond);
  const atLeast = isFree ? defaultRate : Math.max(lowestRate, perSecond * lowestShare);
  const lowered = Math.max(used * decrease, atLeast);
  const refusedRate = lowered / decrease;
  const ceiling = Number.isFinite(sender.ceiling) ? sender.ceiling : freeFrom * refusedRate;
  return {
    ...memory,
    steppedAtMs: nowMs,
    recovery: {
      refusedRate,
      recoveredMs: 0,
      loweredAtMs: nowMs,
      fullRate: Math.max(ceiling, before?.fullRate ?? 0),
    },
  };
}

interface Throttled extends Pick<Refusal, 'answered'> {
  readonly leftAtMs: number;
  /** Requests that have left in the last second; 0 where that is not known. */
  readonly startedPerSecond: number;
  readonly nowMs: number;
}

/**
 * The curve of CUBIC (RFC 9438): steep at first, flat around the rate that was refused, and then steeper
 * the longer the service takes it. So a limit that stays is met about once in two minutes, and one that is
 * gone is forgotten in six.
 */
function recoveredRate({ refusedRate, recoveredMs, fullRate }: Recovery): number {
  const missing = (1 - decrease) * ((recoveryMs - recoveredMs) / recoveryMs) ** 3;
  return Math.min(fullRate, refusedRate * (1 - missing));
}

/** Time counts only while requests are wanted, so a rate stands the next night where it stood. */
function recover(memory: RateMemory, sender: Sender, nowMs: number): RateMemory {
  const { recovery, ...others } = memory;
  if (!recovery) return memory;
  const rate = recoveredRate(recovery);
  if (rate >= recovery.fullRate) return others;
  const passedMs = nowMs - memory.steppedAtMs;
  if (passedMs >= 0 && passedMs < stepMs) return memory;
  // The service has not seen the rate where something else keeps it lower.
  const isUsed = allowedRate(others, sender, nowMs).perSecond > rate;
  const addedMs = isUsed ? Math.min(Math.max(0, passedMs), longestStepMs) : 0;
  return {
    ...others,
    steppedAtMs: nowMs,
    recovery: { ...recovery, recoveredMs: recovery.recoveredMs + addedMs },
  };
}

/**
 * Requests a second that pass: what the service takes at most of this process, or on average of all. What it takes
 * of each at most it may not have taken at the same time.
 */
function passedOf({ senders }: RateMemory, sender: Sender): number {
  const others = senders.filter(({ id }) => id !== sender.id);
  const { average, most } = sender.passed;
  return Math.max(
    others.reduce((sum, { passedPerSecond }) => sum + passedPerSecond, average),
    most,
  );
}

function withSenders(
  memory: RateMemory,
  { id, ceiling, passed }: Sender,
  nowMs: number,
): RateMemory {
  const isHere = ({ seenAtMs }: { seenAtMs: number }) =>
    isPast(seenAtMs, nowMs) && nowMs - seenAtMs < senderMs;
  const own = memory.senders.find((sender) => sender.id === id);
  const needsOwn =
    Number.isFinite(ceiling) && !(own && isHere(own) && nowMs - own.seenAtMs < senderStepMs);
  if (!needsOwn && memory.senders.every(isHere)) return memory;
  const others = memory.senders.filter((sender) => sender.id !== id && isHere(sender));
  const kept = Number.isFinite(ceiling)
    ? [{ id, ceiling, seenAtMs: nowMs, passedPerSecond: passed.average }]
    : [];
  return { ...memory, senders: [...others, ...kept] };
}

/** The clock starts anew with the machine: a past time that lies ahead is from before its last start. */
function isPast(atMs: number, nowMs: number): boolean {
  return atMs <= nowMs;
}

/** The same of a time that is yet to come; no spread lasts longer than a minute. */
export function isAhead(untilMs: number | undefined, nowMs: number): boolean {
  return untilMs !== undefined && untilMs > nowMs && untilMs <= nowMs + longestSpreadS * 1_000;
}
