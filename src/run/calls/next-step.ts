import { affordableCalls, type SpentBudget } from '../../core/rules/budgets.ts';
import { counted } from '../../core/values/format.ts';
import { type Exchange, mostCalls, type Room } from '../../engine/queue/run-queue.ts';

/** A commit to disk costs as much as 200 inserts. */
const batchSize = 200;
const batchMs = 50;
/** While most calls are in flight, an exchange waits this long for more answers. */
const gatherMs = 2;

export interface LoopState {
  readonly services: readonly ServiceState[];
  readonly isStopped: boolean;
  /** Answers to store. */
  readonly answers: number;
  /** How many of `answers` one exchange takes. */
  readonly fitting: number;
  readonly unsent: number;
  readonly open: number;
  readonly callsAtOnce: number;
  readonly sinceExchangeMs: number;
  /** Set directly after an exchange. */
  readonly exchanged?: ExchangeEnd | undefined;
}

interface ServiceState {
  readonly inFlight: number;
  readonly mostInFlight: number;
  /** Requests that the budgets of this start leave. */
  readonly left: number;
  /** The most that a call needs. */
  readonly attempts: number;
  /** Failures that wait for the next answer of the service. */
  readonly undecided: number;
  readonly isStopped: boolean;
  readonly nothingToLease: boolean;
}

export interface ExchangeEnd extends Pick<Exchange, 'openCalls' | 'spent'> {
  readonly rooms: readonly Room[];
  /** Some answers are left, because one exchange takes only so many bytes. */
  readonly wasFull: boolean;
}

export type Step =
  /** Until a call ends, or at most `ms`. */
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'exchange'; readonly wanted: readonly Room[]; readonly fitting: number }
  | { readonly do: 'look-again' | 'decide-failures' | 'wait-for-runs' | 'stop' | 'done' }
  /** `serviceIndex`: of the one whose budget is spent. */
  | {
      readonly do: 'end-of-budget';
      readonly serviceIndex: number;
      readonly spent: SpentBudget | undefined;
    };

export function nextStep(state: LoopState): Step {
  return state.exchanged ? afterExchange(state, state.exchanged) : beforeExchange(state);
}

/** An exchange is a commit, so it waits for a batch of answers or for room to lease calls. */
function beforeExchange(state: LoopState): Step {
  const { services, answers, fitting, sinceExchangeMs, callsAtOnce } = state;
  const wanted = services.map((service) => wantedRoom(state, service));
  const exchange = { do: 'exchange', wanted, fitting } as const;
  // With nothing in flight, only an exchange shows whether the run has ended.
  if (isFull(state) || answers >= batchSize || !hasInFlight(state)) return exchange;
  if (answers > 0 && sinceExchangeMs >= batchMs) return exchange;
  // Three quarters of the calls keep the connections busy during the commit.
  const due = services.filter(
    ({ inFlight, mostInFlight, nothingToLease }) =>
      inFlight <= Math.max(callsAtOnce, mostInFlight * 0.75) &&
      // A service with nothing to lease gets calls only when answers of the others are stored.
      (services.length === 1 || !nothingToLease),
  );
  const isWanted = wanted.some((room) => mostCalls(room) > 0);
  if (due.length === 0 || !isWanted) return { do: 'wait', ms: batchMs };
  const areMostIdle = due.some(({ inFlight }) => inFlight * 2 <= callsAtOnce);
  return areMostIdle || sinceExchangeMs >= gatherMs ? exchange : { do: 'wait', ms: gatherMs };
}

function wantedRoom(state: LoopState, service: ServiceState): Room {
  const { inFlight, mostInFlight, left, attempts, isStopped, nothingToLease } = service;
  // If the answers exceed one batch, leases no calls until they are stored, because more answers
  // would fill up the memory.
  if (state.isStopped || isFull(state)) return 0;
  // Calls that the cache answers are completed even if their service has stopped.
  if (isStopped) return nothingToLease && state.answers === 0 ? 'skip' : 0;
  return Math.min(mostInFlight - inFlight, affordableCalls(left, inFlight, attempts));
}

function afterExchange(state: LoopState, { rooms, openCalls, spent, wasFull }: ExchangeEnd): Step {
  const { services, isStopped, answers, unsent, open } = state;
  // Do not wait for the network yet: answers are left to store, or open calls may be in the cache.
  if (wasFull || (openCalls === 'unseen' && !isStopped)) return { do: 'look-again' };
  if (hasInFlight(state) || answers > 0) return { do: 'wait', ms: batchMs };
  // Nothing is in flight, and everything received is stored, except undecided failures.
  if (isStopped) return { do: 'stop' };
  if (services.some((one) => one.undecided > 0 && !one.isStopped)) return { do: 'decide-failures' };
  if (openCalls === 'elsewhere') return { do: 'wait-for-runs' };
  if (open === 0) return { do: 'done' };
  // Calls that ended unsent during the exchange are still leased.
  if (unsent > 0) return { do: 'look-again' };
  if (services.some((service) => service.isStopped)) return { do: 'stop' };
  const withoutRoom = rooms.indexOf(0);
  if (withoutRoom === -1 && !spent)
    throw new Error(
      `bug: ${counted(open, 'call is', 'calls are')} open, but the queue leased none`,
    );
  return { do: 'end-of-budget', serviceIndex: Math.max(withoutRoom, 0), spent };
}

function isFull({ fitting, answers }: LoopState) {
  return fitting < answers;
}

function hasInFlight({ services }: LoopState) {
  return services.some(({ inFlight }) => inFlight > 0);
}
