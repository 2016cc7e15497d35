import { z } from 'zod';
import { defaultRate } from '../../../core/values/defaults.ts';

export type RateReason = 'ceiling' | 'other job' | 'throttled';

export interface Allowed {
  readonly perSecond: number;
  readonly reason: RateReason;
}

/** `change` may call `update` again with a newer text, so `update` must be repeatable. */
export interface RateStore extends Disposable {
  /**
   * `nowMs` is the store's time, `askedAtMs` this process's time. If another process blocks the
   * store, `update` is not called.
   */
  change(update: (text: string, nowMs: number, askedAtMs?: number) => string): void | Promise<void>;
  /** Time until a sender learns that the store gave it a slot. */
  readonly roundTripMs: number;
}

/**
 * What all processes on one rate store know of each other. All times use the store's clock.
 *
 * | part            | means                                 | changes                                 |
 * | --------------- | ------------------------------------- | --------------------------------------- |
 * | `starts`        | times and counts of taken slots       | `takeSlots` counts a slot at the latest |
 * |                 |                                       | time at which its request may leave;    |
 * |                 |                                       | `startSlot` puts the real time there    |
 * | `senders`       | processes; the lowest rate binds all  | each reports every second, or is gone   |
 * | `closedUntilMs` | before that time nobody gets a slot   | `closeGate`, if the service asks for it |
 * | `lowered`       | the rate after throttling             | `lowerRate`; it recovers with time      |
 *
 * A killed process never returns its slots, so it can make others slower, but never faster.
 */
const RateState = z.object({
  changedAtMs: z.number(),
  starts: z.array(z.tuple([z.number(), z.number()])),
  senders: z.array(z.object({ id: z.string(), perSecond: z.number(), seenAtMs: z.number() })),
  closedUntilMs: z.number(),
  /** The rate after throttling, until it has recovered to `full`. */
  lowered: z.object({ perSecond: z.number(), full: z.number(), atMs: z.number() }).exactOptional(),
});
export type RateState = z.output<typeof RateState>;

const throttledShare = 0.5;
const lowestShare = 0.1;
const throttleEveryMs = 1_000;
/** Share of the full rate that is regained each second. */
const recoveryShare = 0.05;
/** A sender reports every second. After this time without a report it counts as gone. */
const senderMs = 15_000;
/** A wrong header must not block runs for days. */
const longestClosedMs = 3_600_000;
/** Lengthens windows, because services count requests on arrival and arrival times vary. */
const jitterMs = 12;

export function readState(text: string, nowMs: number): RateState {
  const state = parseState(text);
  const setBackMs = state.changedAtMs - nowMs;
  // A reboot restarts the clock, and a wall clock may be set back, so shift all stored times.
  if (setBackMs > 0) shiftTimes(state, -setBackMs);
  state.changedAtMs = nowMs;
  state.senders = state.senders.filter(({ seenAtMs }) => nowMs - seenAtMs < senderMs);
  if (state.lowered && recoveredRate(state.lowered, nowMs) >= state.lowered.full) {
    delete state.lowered;
  }
  return state;
}

function parseState(text: string): RateState {
  try {
    if (text !== '') return RateState.parse(JSON.parse(text));
  } catch {
    // Another version of Dossier may have written this text, so start with an empty state.
  }
  return { changedAtMs: 0, starts: [], senders: [], closedUntilMs: 0 };
}

export function changeState(text: string, nowMs: number, change: (state: RateState) => void) {
  const state = readState(text, nowMs);
  change(state);
  return JSON.stringify(state);
}

function shiftTimes(state: RateState, byMs: number) {
  state.closedUntilMs += byMs;
  for (const start of state.starts) start[0] += byMs;
  for (const sender of state.senders) sender.seenAtMs += byMs;
  if (state.lowered) state.lowered.atMs += byMs;
}

function recoveredRate(
  { perSecond, full, atMs }: NonNullable<RateState['lowered']>,
  nowMs: number,
) {
  return perSecond + (Math.max(0, nowMs - atMs) / 1_000) * recoveryShare * full;
}

export function allowedRate(state: RateState, ceiling: number): Allowed {
  let allowed: Allowed = { perSecond: ceiling, reason: 'ceiling' };
  const atMost = (perSecond: number, reason: RateReason) => {
    if (perSecond < allowed.perSecond) allowed = { perSecond, reason };
  };
  for (const { perSecond } of state.senders) atMost(perSecond, 'other job');
  if (state.lowered) atMost(recoveredRate(state.lowered, state.changedAtMs), 'throttled');
  return allowed;
}

export function windowOf(perSecond: number) {
  const capacity = Math.ceil(perSecond);
  return { capacity, windowMs: (capacity / perSecond) * 1_000 + jitterMs };
}

export function takeSlots(state: RateState, perSecond: number, wanted: number, leaveByMs: number) {
  const nowMs = state.changedAtMs;
  if (state.closedUntilMs > nowMs) return { taken: 0, waitMs: state.closedUntilMs - nowMs };
  if (perSecond === Number.POSITIVE_INFINITY) return { taken: wanted, waitMs: 0 };
  const { capacity, windowMs } = windowOf(perSecond);
  state.starts = state.starts.filter(([atMs]) => atMs > nowMs - windowMs);
  let room = capacity - state.starts.reduce((sum, [, count]) => sum + count, 0);
  const taken = Math.max(0, Math.min(wanted, room));
  if (taken > 0) state.starts.push([leaveByMs, taken]);
  const freeing = state.starts.toSorted(([one], [other]) => one - other);
  let waitMs = 1;
  for (const [atMs, count] of taken > 0 ? [] : freeing) {
    room += count;
    waitMs = atMs + windowMs - nowMs;
    if (room > 0) break;
  }
  return { taken, waitMs: Math.max(1, waitMs) };
}

export function startSlot(state: RateState, leaveByMs: number, leftAtMs: number): void {
  const start = state.starts.find(([atMs, count]) => atMs === leaveByMs && count > 0);
  if (!start) return;
  start[1] -= 1;
  const atMs = Math.ceil(leftAtMs);
  const others = state.starts.find((one) => one[0] === atMs);
  if (others) others[1] += 1;
  else state.starts.push([atMs, 1]);
}

export function releaseSlots(state: RateState, leaveByMs: number, count: number): void {
  const start = state.starts.find(([atMs]) => atMs === leaveByMs);
  if (start) start[1] -= count;
}

/** `sent`: how many requests this process sends per second. */
export function lowerRate(
  state: RateState,
  { ceiling, leftAtMs, sent }: { ceiling: number; leftAtMs: number; sent: number },
): void {
  const nowMs = state.changedAtMs;
  const { lowered } = state;
  // If several requests in flight together are throttled, lower the rate only once.
  if (lowered && (leftAtMs < lowered.atMs || nowMs - lowered.atMs < throttleEveryMs)) return;
  const { perSecond } = allowedRate(state, ceiling);
  const isFree = perSecond === Number.POSITIVE_INFINITY;
  const used = isFree ? Math.max(sent, 2 * defaultRate) : perSecond;
  // Without a rate limit, `starts` lacks these requests, but the service counted them.
  if (isFree && sent > 0) state.starts.push([nowMs, sent]);
  const full = ceiling === Number.POSITIVE_INFINITY ? 2 * used : ceiling;
  const left = Math.max(used * throttledShare, full * lowestShare);
  state.lowered = { perSecond: left, full, atMs: nowMs };
}

/** A lowered rate starts to recover only after the wait. */
export function closeGate(state: RateState, waitMs: number): void {
  const untilMs = state.changedAtMs + Math.min(waitMs, longestClosedMs);
  state.closedUntilMs = Math.max(state.closedUntilMs, untilMs);
  if (state.lowered) state.lowered.atMs = Math.max(state.lowered.atMs, untilMs);
}

export function joinSenders(state: RateState, id: string, perSecond: number): void {
  leaveSenders(state, id);
  if (perSecond === Number.POSITIVE_INFINITY) return;
  state.senders.push({ id, perSecond, seenAtMs: state.changedAtMs });
}

export function leaveSenders(state: RateState, id: string): void {
  state.senders = state.senders.filter((sender) => sender.id !== id);
}
