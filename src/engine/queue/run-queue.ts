import type { Call, CallResult } from '../../core/contract/call.ts';
import type { SpentBudget } from '../../core/rules/budgets.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import type { ReadRow } from '../ledger/rows/rows.ts';
import type { SpendUpdate } from './count-spend.ts';

export interface RunQueue extends AsyncDisposable {
  add(rows: readonly IdentifiedRow[]): Promise<Counts>;
  /** Stores answers and leases calls in one commit. `rooms`: for each service, 0 if absent. */
  exchange(
    answers: readonly Answer[],
    rooms: readonly Room[],
    update?: SpendUpdate,
  ): Promise<Exchange>;
  /** For retries. Grants all if requests are not counted. */
  reserve(
    operations: readonly Call['operation'][],
    update: SpendUpdate,
    serviceIndex: number,
  ): Promise<{ readonly granted: number; readonly reservedQuarterAt?: number }>;
  /** Only for calls that certainly were not sent. */
  returnUnsent(callIds: readonly number[], update?: SpendUpdate): Promise<void>;
  /** Frees the leased calls and records that they may have been charged. */
  recover(): Promise<void>;
  counts(): Promise<Counts>;
}

/** Completes the calls whose answers are known. No service is asked. */
export async function completeKnown(queue: RunQueue): Promise<Counts> {
  for (;;) {
    const { openCalls, counts } = await queue.exchange([], []);
    if (openCalls !== 'unseen') return counts;
  }
}

export const queueVerbs = [
  'add',
  'exchange',
  'reserve',
  'returnUnsent',
  'recover',
  'counts',
] as const satisfies (keyof RunQueue)[];
export type QueueVerb = (typeof queueVerbs)[number];

export function forwarding<Verb extends QueueVerb>(
  verbs: readonly Verb[],
  send: (verb: Verb, args: readonly unknown[]) => Promise<unknown>,
): Pick<RunQueue, Verb> {
  const entries = verbs.map((verb) => [verb, (...args: unknown[]) => send(verb, args)]);
  return Object.fromEntries(entries);
}

export function perform(
  queue: RunQueue,
  verb: QueueVerb,
  args: readonly unknown[],
): Promise<unknown> {
  return (queue[verb] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
}

export interface IdentifiedRow extends ReadRow {
  readonly number: number;
}

/** Once a call is leased, the service may charge for it. */
export interface LeasedCall {
  readonly callId: number;
  readonly call: Call;
  /** The place of its service among those of the job. */
  readonly serviceIndex: number;
  readonly hasFailed: boolean;
}

export interface Answer {
  readonly callId: number;
  readonly result: CallResult;
  readonly fetchedAt: number;
  readonly operationToCount?: Call['operation'] | undefined;
  /** A counted answer that costs nothing: a miss, if only hits are charged. */
  readonly isUnpaid?: boolean | undefined;
  /** Set while the run is stopping: the failure is stored, but the call stays open. */
  readonly staysOpen?: true;
}

/**
 * The most calls to lease from a service. 0 only completes calls that the cache answers; `skip` is
 * for a stopped service whose open calls were all seen.
 */
export type Room = number | 'skip';

export function mostCalls(room: Room): number {
  return room === 'skip' ? 0 : room;
}

export interface Exchange {
  readonly calls: readonly LeasedCall[];
  readonly counts: Counts;
  /** Calls whose presumed company is not in the answer. They are not stored, and still leased. */
  readonly misread: readonly number[];
  /**
   * Open calls that this exchange left:
   *
   * | `openCalls` | the open calls                                       | the call loop            |
   * | ----------- | ---------------------------------------------------- | ------------------------ |
   * | `unseen`    | some were not looked at, and may be cached           | exchanges again at once  |
   * | `elsewhere` | other runs have leased some                          | waits for their answers  |
   * | `none`      | all were leased, or as many as there is room for     | waits for its own, or ends |
   */
  readonly openCalls: 'unseen' | 'elsewhere' | 'none';
  /** For each service: true if it has no open call that can be leased now. */
  readonly nothingToLease?: readonly boolean[];
  /** The quarter-hour to which the requests of the leased calls are charged. */
  readonly reservedQuarterAt?: number | undefined;
  readonly spent?: SpentBudget | undefined;
  /** The run must stop, because too many vanished companies are still not found. */
  readonly vanished?: string | undefined;
}
