import { parseCall } from '../contract/call.ts';
import { tryLockJob } from '../ledger/job-lock.ts';
import type { OpenTask } from '../ledger/tasks.ts';
import { type AnswerAtHand, answerAtHand } from './answer-at-hand.ts';
import type { RunContext } from './run-context.ts';
import { pageOf } from './search-people.ts';
import { lookupOf, type SettledLookup } from './settle-company.ts';
import { settleTasks } from './settle-task.ts';

export interface Claim {
  /** Calls to send, marked as sent: they may be charged from here on. */
  readonly tasks: OpenTask[];
  /** Whether every open task was looked at, by this claim and those before it, and none settled. */
  readonly isComplete: boolean;
  /** Runs of other jobs that wait for answers which this one wants, as far as they were seen. */
  readonly awaited: readonly number[];
}

/** How far the open tasks have been looked at, from one claim to the next. */
export interface Scan {
  after: number;
  hasSettled: boolean;
  /** Runs that have sent calls which were looked at since the beginning. */
  awaited: Set<number>;
}

export function beginScan(): Scan {
  return { after: 0, hasSettled: false, awaited: new Set() };
}

/** Looked at in one transaction: few enough that the process stays responsive. */
const tasksAtOnce = 500;

/**
 * Takes open tasks from the ledger. Those with an answer at hand are settled at once; of the
 * others, as many as there is room for are marked as sent. Runs inside a transaction.
 */
export function claimCalls(context: RunContext, room: number, scan: Scan): Claim {
  const { ledger, run } = context;
  const tasks: OpenTask[] = [];
  let awaited = scan.awaited;
  const batch = room > 0 ? Math.min(room, tasksAtOnce) : tasksAtOnce;
  let isComplete = false;
  ledger.calls.gatherAliasesOfOthers();
  for (let seen = 0; seen < tasksAtOnce && !isComplete; seen += batch) {
    const open = ledger.calls.openTasks(run.id, scan.after, batch);
    const settled = settleAtHand(context, open);
    if (settled.size > 0) scan.hasSettled = true;
    const claimed: OpenTask[] = [];
    for (const task of open) {
      scan.after = task.callId;
      if (settled.has(task.callId)) continue;
      if (task.sentBy !== null) scan.awaited.add(task.sentBy);
      else if (tasks.length + claimed.length < room) claimed.push(task);
    }
    ledger.calls.markSent(
      run.id,
      claimed.map(({ callId }) => callId),
    );
    tasks.push(...claimed);
    const isFull = room > 0 && tasks.length === room;
    isComplete = open.length < batch && !scan.hasSettled;
    // What was settled may have opened tasks before this place; so it begins anew.
    if (open.length < batch) {
      awaited = scan.awaited;
      Object.assign(scan, beginScan());
    }
    if (isFull) break;
  }
  return { tasks, isComplete, awaited: [...awaited, ...scan.awaited] };
}

/**
 * Settles tasks by the answers that the ledger holds, and says whose calls they were. None of them has
 * a say in what is at hand for another.
 */
function settleAtHand(context: RunContext, open: readonly OpenTask[]): Set<number> {
  const settled = new Set<number>();
  const tasks = open.filter(({ mayBeAtHand }) => mayBeAtHand === 1);
  if (tasks.length === 0) return settled;
  const newest = context.ledger.calls.newestAnswers(tasks.map(({ callId }) => callId));
  const lookups: SettledLookup[] = [];
  for (const task of tasks) {
    const call = parseCall(task.request);
    const known = answerAtHand(context, task, call.operation, newest.get(task.callId));
    if (!known) continue;
    if (call.operation === 'company') lookups.push(lookupOf(task, call, known));
    else if (!settlePageAtHand(context, task, known)) continue;
    settled.add(task.callId);
  }
  settleTasks(context, lookups);
  return settled;
}

/** One at a time, since a page may hold many people. False when its body is damaged. */
function settlePageAtHand(context: RunContext, task: OpenTask, known: AnswerAtHand): boolean {
  const { calls } = context.ledger;
  const { id, outcome } = known.answer;
  const body = outcome === 'hit' ? calls.body(id) : undefined;
  if (outcome === 'hit' && !body) {
    calls.discardAnswer(id);
    return false;
  }
  settleTasks(context, [pageOf(task, known, body ?? undefined)]);
  return true;
}

/** What a run has sent that died before its answer came is nobody's to wait for. */
export function releaseDeadRuns({ ledger, job }: RunContext, runIds: readonly number[]): void {
  for (const runId of runIds) {
    const other = ledger.runs.get(runId);
    if (!other || other.job === job.name) continue;
    using lock = tryLockJob(job.ledger, other.job);
    if (lock) ledger.calls.recover(other.job);
  }
}
