import { type CallOutcome, type CallRequest, parseCall } from '../contract/call.ts';
import { DossierError } from '../errors.ts';
import type { OpenTask } from '../ledger/tasks.ts';
import { type BundledBody, bundleBodies } from '../runtime/bundle.ts';
import { beginScan, claimCalls, releaseDeadRuns } from './claim-calls.ts';
import type { Answered } from './read-answer.ts';
import type { RunContext } from './run-context.ts';
import { settleAnswered } from './settle-task.ts';

/** The part of the client that a run needs. It makes as many calls at once as the job allows. */
export interface ServiceCalls {
  send(call: CallRequest, signal: AbortSignal): Promise<CallOutcome>;
}

interface MakeCallsOptions {
  /** Aborted to claim nothing more; its reason is thrown when all that is under way has come. */
  readonly stopping: AbortSignal;
  /** Aborted to give up what is on the wire, too. */
  readonly signal: AbortSignal;
  readonly onProgress?: () => void;
}

interface Arrived {
  readonly task: OpenTask;
  readonly call: CallRequest;
  /** Undefined when nothing came of it: the run is being stopped. */
  readonly outcome: CallOutcome | undefined;
  readonly kept?: BundledBody;
  /** Nothing came of it, and nobody knows whether it had left. */
  readonly isLost: boolean;
  readonly fetchedAt: number;
}

/** Answers are committed in groups: a commit to the disk costs as much as two hundred inserts. */
const groupSize = 200;
const groupMs = 50;
/** While most slots are busy, a commit for the others waits for company. */
const gatherMs = 5;
/** How often to look whether another job has got an answer that this one waits for. */
const awaitMs = 200;

/**
 * Makes the open calls of a run until none is left. A call is marked as sent before it leaves and
 * its answer is stored with all that follows from it in one transaction, so the process may die at
 * any instant. Throws what stops the run, after everything that has arrived is stored.
 */
export async function makeCalls(
  context: RunContext,
  api: ServiceCalls,
  options: MakeCallsOptions,
): Promise<void> {
  const { ledger, job, clock } = context;
  const { concurrency } = job.limits;
  const most = mostUnderWay(job.limits);
  /** Whoever has a line before it can wait until half of that is through, and then take more. */
  const fewUnderWay = Math.max(concurrency, most / 2);
  const bell = createBell();
  const arrived: Arrived[] = [];
  /** Claimed and not yet arrived. */
  let underWay = 0;
  let callsLeft = job.limits.maxCalls ?? Number.POSITIVE_INFINITY;
  let stopped: { by: unknown } | undefined;
  let lastCommitAt = clock.monotonicMs();
  const scan = beginScan();

  const send = async (task: OpenTask) => {
    const call = parseCall(task.request);
    let outcome: CallOutcome | undefined;
    let isLost = false;
    try {
      if (!stopped) outcome = await api.send(call, options.signal);
    } catch (error) {
      stopped ??= { by: error };
      // Whoever stops a run says so, and lets nothing leave. Anything else is the end of the client.
      isLost = !(error instanceof DossierError) && error !== options.stopping.reason;
    }
    underWay -= 1;
    arrived.push({ task, call, outcome, isLost, fetchedAt: clock.wallMs() });
    bell.ring();
  };

  /** Stores what has arrived and takes what to send next, in one transaction. */
  const commit = () => {
    const slots = most - underWay;
    const room = Math.min(callsLeft, slots);
    // What is stored now may open tasks before the place where the scan stands.
    if (arrived.length > 0 && scan.after > 0) scan.hasSettled = true;
    const items = withBundles(arrived.splice(0));
    const claim = ledger.together(() => {
      store(context, items, options.signal);
      if (items.length > 0) ledger.calls.gatherManyAliases();
      const claimed = stopped || slots === 0 ? undefined : claimCalls(context, room, scan);
      ledger.progress.put(context.run.id, context.counts);
      return claimed;
    });
    lastCommitAt = clock.monotonicMs();
    callsLeft -= claim?.tasks.length ?? 0;
    underWay += claim?.tasks.length ?? 0;
    for (const task of claim?.tasks ?? []) void send(task);
    return { claim, hasMoreToScan: claim && !claim.isComplete && claim.tasks.length < (room || 1) };
  };

  for (;;) {
    options.onProgress?.();
    if (options.stopping.aborted) stopped ??= { by: options.stopping.reason };
    const sinceCommitMs = clock.monotonicMs() - lastCommitAt;
    const isGroupDue =
      arrived.length >= groupSize || (arrived.length > 0 && sinceCommitMs >= groupMs);
    const hasIdleSlots = underWay <= fewUnderWay && underWay < most;
    const isWorthACommit = underWay * 2 <= concurrency || sinceCommitMs >= gatherMs;
    if (!isGroupDue && !(hasIdleSlots && isWorthACommit)) {
      await bell.wait(hasIdleSlots ? gatherMs : groupMs);
      continue;
    }
    const { claim, hasMoreToScan } = commit();
    if (hasMoreToScan) {
      // More may be at hand. Signals and answers get their turn first.
      await new Promise((resolve) => setImmediate(resolve));
    } else if (underWay + arrived.length > 0) {
      await bell.wait(groupMs);
    } else if (stopped) {
      throw stopped.by;
    } else if (claim && claim.awaited.length > 0) {
      releaseDeadRuns(context, claim.awaited);
      await clock.sleep(awaitMs, options.signal);
    } else if (context.counts.calls.open > 0) {
      if (callsLeft > 0) throw new Error('calls are open, and none of them can be made');
      throw new DossierError('BUDGET_SPENT', budgetMessage(context));
    } else {
      return;
    }
  }
}

/** Bodies are compressed together, and before the transaction: others may wait for that to end. */
function withBundles(arrived: readonly Arrived[]): Arrived[] {
  const bodies = arrived.flatMap(({ outcome }) =>
    outcome && 'body' in outcome ? [outcome.body] : [],
  );
  const bundled = bundleBodies(bodies).values();
  return arrived.map((item) => {
    if (!item.outcome || !('body' in item.outcome)) return item;
    const { value: kept } = bundled.next();
    return kept ? { ...item, kept } : item;
  });
}

function isAnswered(item: Arrived): item is Arrived & Answered {
  return item.outcome !== undefined;
}

function store(context: RunContext, items: readonly Arrived[], signal: AbortSignal): void {
  const { ledger, run } = context;
  settleAnswered(context, items.filter(isAnswered));
  for (const { task, outcome, isLost } of items) {
    // Cut off on the wire, it may have been charged: it stays marked as sent.
    if (!outcome && !signal.aborted && !isLost) ledger.calls.reopen(run.id, task.callId);
  }
}

/**
 * How many calls may be marked as sent. With few at once these are the calls in flight. With many,
 * others stand in line, so that no slot is idle while the disk is written: as many again, or three
 * times as many where no rate holds them back.
 */
function mostUnderWay({ concurrency, rate }: RunContext['job']['limits']): number {
  if (concurrency < 32) return concurrency;
  return concurrency * (rate === 'none' ? 4 : 2);
}

function budgetMessage({ job, counts }: RunContext): string {
  const { maxCalls } = job.limits;
  return `the budget of ${maxCalls} calls is spent; ${counts.calls.open} calls are still open`;
}

/** Lets the loop sleep until something arrives, or for a while at most. */
function createBell() {
  let wake = () => {};
  let hasRung = false;
  return {
    ring() {
      hasRung = true;
      wake();
    },
    async wait(ms: number): Promise<void> {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasRung = false;
      wake = () => {};
    },
  };
}
