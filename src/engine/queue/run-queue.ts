import type { CallOutcome, CallRequest } from '../../core/contract/call.ts';
import type { Country } from '../../core/contract/countries.ts';
import type { RowCandidate } from '../../core/rules/next-candidate.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import type { SpentBudget } from '../../core/rules/shared-budget.ts';
import type { Charge } from './count-spend.ts';

/**
 * One run as a queue over the ledger: rows go in, calls come out, answers go in. The queue stores
 * everything that follows from an answer, so callers keep no state.
 */
export interface RunQueue extends AsyncDisposable {
  add(rows: readonly IdentifiedRow[]): Promise<Counts>;
  /**
   * In one commit: stores answers and their consequences, completes calls from the cache, and
   * leases up to `room` calls. Leases fewer if the daily or monthly budget has less.
   */
  exchange(answers: readonly Answer[], room: number, charge?: Charge): Promise<Exchange>;
  /**
   * Reserves requests for retries, in its own commit, and books refunds. Grants all if requests are
   * not counted.
   */
  reserve(
    operations: readonly CallRequest['operation'][],
    charge: Charge,
  ): Promise<{ readonly granted: number; readonly reserved?: number }>;
  /** For calls that certainly did not leave. They are open again. */
  release(callIds: readonly number[], charge?: Charge): Promise<void>;
  /** Reopens calls leased by a dead process or a stopping run. They may have been charged. */
  recover(): Promise<void>;
  counts(): Promise<Counts>;
}

export const queueVerbs = [
  'add',
  'exchange',
  'reserve',
  'release',
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

export interface IdentifiedRow {
  /** Identifies the row in every run of its list. */
  readonly key: string;
  readonly number: number;
  readonly cells: readonly (string | undefined)[];
  readonly country: Country | undefined;
  readonly candidates: readonly RowCandidate[];
  readonly reject?: { readonly reason: string; readonly message: string } | undefined;
}

/** Only this run may send it. From now on it may be charged. */
export interface LeasedCall {
  readonly callId: number;
  readonly call: CallRequest;
  readonly hasFailed: boolean;
}

export interface Answer {
  readonly callId: number;
  readonly outcome: CallOutcome;
  readonly fetchedAt: number;
  /** Set if the last request was or may be charged. */
  readonly charged?: CallRequest['operation'] | undefined;
  /** The run is stopping: the failure is stored, and the call stays open. */
  readonly staysOpen?: true;
}

export interface Exchange {
  readonly calls: readonly LeasedCall[];
  readonly counts: Counts;
  /**
   * Open calls besides the leased ones. `unseen`: some may be cached, so exchange again.
   * `elsewhere`: other runs have leased them. `nothing`: none to lease, or no room.
   */
  readonly left: 'unseen' | 'elsewhere' | 'nothing';
  /** Quarter-hour in which these requests count. Undefined if requests are not counted. */
  readonly reserved?: number | undefined;
  readonly spent?: SpentBudget | undefined;
}
