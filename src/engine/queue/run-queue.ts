import type { CallOutcome, CallRequest } from '../../core/contract/call.ts';
import type { Country } from '../../core/contract/countries.ts';
import type { RowCandidate } from '../../core/rules/next-candidate.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import type { SpentBudget } from '../../core/rules/shared-budget.ts';
import type { Charge } from './count-spend.ts';

/**
 * One run as a queue over the ledger: rows go in, calls come out, answers go in. What follows from
 * an answer is decided and stored inside, so that nothing outside has to remember anything.
 */
export interface RunQueue extends AsyncDisposable {
  /** Stores rows with the calls that they wait for. */
  add(rows: readonly IdentifiedRow[]): Promise<Counts>;
  /**
   * In one commit: stores answers and all that follows from them (outcomes of rows, next candidates,
   * people searches, next pages), completes calls from the cache, and leases up to `room` calls, fewer
   * where the budget of a day or month has less. `charge` is for a queue that counts requests.
   */
  exchange(answers: readonly Answer[], room: number, charge?: Charge): Promise<Exchange>;
  /**
   * Reserves requests for further attempts in a commit of its own, the first ones first, and takes refunds
   * back. A queue that counts no requests grants all.
   */
  reserve(
    operations: readonly CallRequest['operation'][],
    charge: Charge,
  ): Promise<{ readonly granted: number; readonly reserved?: number }>;
  /** Ends the lease of calls that certainly did not leave, with their refunds; they are open again. */
  release(callIds: readonly number[], charge?: Charge): Promise<void>;
  /** Ends the leases of a process that died or a run that stops: their calls are open again, and doubtful. */
  recover(): Promise<void>;
  counts(): Promise<Counts>;
}

/** All verbs of a queue, for whoever passes them on. */
export const queueVerbs = [
  'add',
  'exchange',
  'reserve',
  'release',
  'recover',
  'counts',
] as const satisfies (keyof RunQueue)[];
export type QueueVerb = (typeof queueVerbs)[number];

/** Verbs that are passed on with their arguments. */
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

/** A row of the list with what it asks for. */
export interface IdentifiedRow {
  /** Tells the row from the others of its list, tonight and tomorrow. */
  readonly key: string;
  readonly number: number;
  readonly cells: readonly (string | undefined)[];
  readonly country: Country | undefined;
  /** What to ask for, best first; none where the row is rejected. */
  readonly candidates: readonly RowCandidate[];
  readonly reject?: { readonly reason: string; readonly message: string } | undefined;
}

/** A call that this run alone may send: it may be charged from here on. */
export interface LeasedCall {
  readonly callId: number;
  readonly call: CallRequest;
  /** The call has failed since its last answer. */
  readonly hasFailed: boolean;
}

/** What the client brought for a leased call. */
export interface Answer {
  readonly callId: number;
  readonly outcome: CallOutcome;
  readonly fetchedAt: number;
  /** Its operation if its last request is charged, or may be; absent where that was free. */
  readonly charged?: CallRequest['operation'] | undefined;
  /** A failure of a run that stops: it is stored, and the call stays open. */
  readonly staysOpen?: true;
}

export interface Exchange {
  readonly calls: readonly LeasedCall[];
  readonly counts: Counts;
  /**
   * What is open besides the leased calls: `unseen` may hold cache hits, so exchange again;
   * `elsewhere` is leased by other runs; `nothing` is left to lease, or there was no room.
   */
  readonly left: 'unseen' | 'elsewhere' | 'nothing';
  /** Quarter of an hour in which the requests of these calls count; undefined in a queue that counts none. */
  readonly reserved?: number | undefined;
  /** The budget of a day or month that kept calls from being leased. */
  readonly spent?: SpentBudget | undefined;
}
