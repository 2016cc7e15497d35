import { z } from 'zod';
import { defaultRate, highestRate, lowestRate } from '../../../core/runtime/terms.ts';
import type { RateLimits } from '../judge/read-rate-limits.ts';

/** Why no more requests may leave. */
export type RateReason = 'ceiling' | 'other job' | 'throttled' | 'policy';

/** The rate that holds now; Infinity where nothing limits it. */
export interface Allowed {
  readonly perSecond: number;
  readonly reason: RateReason;
}

/** A text that all senders with one key share. `change` may call `update` again with a newer text. */
export interface RateStore extends Disposable {
  /**
   * Does nothing if another process blocks the change. `nowMs` is by the clock of the store. `askedAtMs` is
   * by that of this process and never later, however slow the store was.
   */
  change(update: (text: string, nowMs: number, askedAtMs?: number) => string): void | Promise<void>;
  /** A place is `roundTripMs` old when its sender hears of it. */
  readonly roundTripMs: number;
}

/** Times are those of the store: one clock for all its senders. */
const RateState = z.object({
  changedAtMs: z.number(),
  /** When requests left, and how many. */
  starts: z.array(z.tuple([z.number(), z.number()])),
  /** Living processes and their rates. Processes without a rate are not listed. */
  senders: z.array(z.object({ id: z.string(), perSecond: z.number(), seenAtMs: z.number() })),
  /** No request leaves before. */
  closedUntilMs: z.number(),
  /** What throttles left of the rate at `atMs`; forgotten when it is `full` again. */
  lowered: z.object({ perSecond: z.number(), full: z.number(), atMs: z.number() }).exactOptional(),
  /** The rate that the service named last. */
  policy: z.object({ perSecond: z.number(), atMs: z.number() }).exactOptional(),
});
export type RateState = z.output<typeof RateState>;

/** A throttle leaves this share of the rate, but never less than the second share of the job's rate. */
const throttledShare = 0.5;
const lowestShare = 0.1;
const throttleEveryMs = 1_000;
/** Share of the job's rate that comes back each second. */
const recoveryShare = 0.05;
/** A process that has not been seen for this time is dead. A living one is seen every second. */
const senderMs = 15_000;
const policyMs = 60_000;
/** A longer policy is left to the job: a quota for a day is not spread over the day. */
const longestPolicyS = 60;
/** A wrong word of the service must not keep runs out for days. */
const longestClosedMs = 3_600_000;
/** Services count requests as they arrive, and they arrive with jitter. */
const jitterMs = 12;

/** What the text of a store says now. A damaged one says nothing. */
export function readState(text: string, nowMs: number): RateState {
  const state = parseState(text);
  const setBackMs = state.changedAtMs - nowMs;
  // A reboot restarts the clock, and a wall clock may be set back: go on from the last change.
  if (setBackMs > 0) shiftTimes(state, -setBackMs);
  state.changedAtMs = nowMs;
  state.senders = state.senders.filter(({ seenAtMs }) => nowMs - seenAtMs < senderMs);
  if (state.policy && nowMs - state.policy.atMs > policyMs) delete state.policy;
  if (state.lowered && recoveredRate(state.lowered, nowMs) >= state.lowered.full) {
    delete state.lowered;
  }
  return state;
}

function parseState(text: string): RateState {
  try {
    if (text !== '') return RateState.parse(JSON.parse(text));
  } catch {
    // Another version may have written it.
  }
  return { changedAtMs: 0, starts: [], senders: [], closedUntilMs: 0 };
}

/** Applies one change to the text of a store. */
export function changeState(text: string, nowMs: number, change: (state: RateState) => void) {
  const state = readState(text, nowMs);
  change(state);
  return JSON.stringify(state);
}

function shiftTimes(state: RateState, byMs: number): void {
  state.closedUntilMs += byMs;
  for (const start of state.starts) start[0] += byMs;
  for (const sender of state.senders) sender.seenAtMs += byMs;
  for (const part of [state.lowered, state.policy]) if (part) part.atMs += byMs;
}

function recoveredRate(
  { perSecond, full, atMs }: NonNullable<RateState['lowered']>,
  nowMs: number,
) {
  return perSecond + (Math.max(0, nowMs - atMs) / 1_000) * recoveryShare * full;
}

/** The lowest of: the rates of living processes, what throttles left, and the service's policy. */
export function allowedRate(state: RateState, ceiling: number): Allowed {
  let allowed: Allowed = { perSecond: ceiling, reason: 'ceiling' };
  const atMost = (perSecond: number, reason: RateReason) => {
    if (perSecond < allowed.perSecond) allowed = { perSecond, reason };
  };
  for (const { perSecond } of state.senders) atMost(perSecond, 'other job');
  if (state.lowered) atMost(recoveredRate(state.lowered, state.changedAtMs), 'throttled');
  if (state.policy) atMost(state.policy.perSecond, 'policy');
  return allowed;
}

/** Requests that may leave in a window: never more in a second than the rate, rounded up. */
export function windowOf(perSecond: number): { capacity: number; windowMs: number } {
  const capacity = Math.ceil(perSecond);
  return { capacity, windowMs: (capacity / perSecond) * 1_000 + jitterMs };
}

/** Takes places for up to `wanted` requests that leave by `leaveByMs`; says when to try again if it got none. */
export function takePlaces(
  state: RateState,
  perSecond: number,
  wanted: number,
  leaveByMs: number,
): { taken: number; waitMs: number } {
  const nowMs = state.changedAtMs;
  if (state.closedUntilMs > nowMs) return { taken: 0, waitMs: state.closedUntilMs - nowMs };
  if (perSecond === Number.POSITIVE_INFINITY) return { taken: wanted, waitMs: 0 };
  const { capacity, windowMs } = windowOf(perSecond);
  state.starts = state.starts.filter(([atMs]) => atMs > nowMs - windowMs);
  let room = capacity - state.starts.reduce((sum, [, count]) => sum + count, 0);
  const taken = Math.max(0, Math.min(wanted, room));
  if (taken > 0) state.starts.push([leaveByMs, taken]);
  // Places free up in the order in which requests leave.
  const freeing = state.starts.toSorted(([one], [other]) => one - other);
  let waitMs = 1;
  for (const [atMs, count] of taken > 0 ? [] : freeing) {
    room += count;
    waitMs = atMs + windowMs - nowMs;
    if (room > 0) break;
  }
  return { taken, waitMs: Math.max(1, waitMs) };
}

/** A request left before its time was over, so its place is free again sooner. */
export function startPlace(state: RateState, leaveByMs: number, leftAtMs: number): void {
  const start = state.starts.find(([atMs, count]) => atMs === leaveByMs && count > 0);
  if (!start) return;
  start[1] -= 1;
  // Requests of one turn leave together, and one entry for them keeps the text short.
  const atMs = Math.ceil(leftAtMs);
  const others = state.starts.find((one) => one[0] === atMs);
  if (others) others[1] += 1;
  else state.starts.push([atMs, 1]);
}

/** Gives back a place whose request did not leave. */
export function releasePlace(state: RateState, leaveByMs: number): void {
  const start = state.starts.find(([atMs]) => atMs === leaveByMs);
  if (start) start[1] -= 1;
}

/** A request that left at `leftAtMs` was throttled, in a second in which the process sent `sent` requests. */
export function noteThrottled(
  state: RateState,
  { ceiling, leftAtMs, sent }: { ceiling: number; leftAtMs: number; sent: number },
): void {
  const nowMs = state.changedAtMs;
  const { lowered } = state;
  // Requests that were under way together are one throttle.
  if (lowered && (leftAtMs < lowered.atMs || nowMs - lowered.atMs < throttleEveryMs)) return;
  const { perSecond } = allowedRate(state, ceiling);
  const isFree = perSecond === Number.POSITIVE_INFINITY;
  const used = isFree ? Math.max(sent, 2 * defaultRate) : perSecond;
  // The service has counted what left before there was a rate.
  if (isFree && sent > 0) state.starts.push([nowMs, sent]);
  const full = ceiling === Number.POSITIVE_INFINITY ? 2 * used : ceiling;
  const left = Math.max(used * throttledShare, full * lowestShare);
  state.lowered = { perSecond: left, full, atMs: nowMs };
}

/** No request leaves for this time. Recovery waits, too. */
export function closeGate(state: RateState, waitMs: number): void {
  const untilMs = state.changedAtMs + Math.min(waitMs, longestClosedMs);
  state.closedUntilMs = Math.max(state.closedUntilMs, untilMs);
  if (state.lowered) state.lowered.atMs = Math.max(state.lowered.atMs, untilMs);
}

/** The rate of the strictest policy; undefined if none concerns us. */
export function policyRate(policies: RateLimits['policies']): number | undefined {
  const rates = policies
    .filter(({ windowS }) => windowS <= longestPolicyS)
    .map(({ quota, windowS }) => Math.max(lowestRate, quota / windowS))
    .filter((perSecond) => perSecond <= highestRate);
  return rates.length > 0 ? Math.min(...rates) : undefined;
}

/** A process that may send. Each change it makes is a sign of life. */
export function joinSenders(state: RateState, id: string, perSecond: number): void {
  leaveSenders(state, id);
  if (perSecond === Number.POSITIVE_INFINITY) return;
  state.senders.push({ id, perSecond, seenAtMs: state.changedAtMs });
}

export function leaveSenders(state: RateState, id: string): void {
  state.senders = state.senders.filter((sender) => sender.id !== id);
}
