import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { Counts } from '../../rules/outcomes.ts';
import type { OpenRun } from '../open-run.ts';
import type { RunParts } from '../run-parts.ts';
import { callService } from './call-service.ts';
import { openCallsAtOnce } from './calls-at-once.ts';
import { openCharges } from './charges.ts';
import { keepTimeline } from './keep-timeline.ts';
import { openWhenNeeded } from './open-when-needed.ts';
import type { RequestBudget } from './request-budget.ts';
import { requireRoom } from './require-room.ts';

/** Beyond the timeout of an attempt, for what delays its end: a commit, a body that is held back. */
const graceMarginMs = 2_000;
const nothingOnWire = { calls: [], atMostMs: 0 } as const;

type CallingParts = Pick<
  RunParts,
  'clock' | 'openClient' | 'signal' | 'observer' | 'meter' | 'graceMs'
> & { readonly isProven: boolean; readonly budget: RequestBudget };

/** Makes the calls of a run and closes its queue; at a signal, it waits for what is on the wire. */
export async function resolveCalls(
  {
    queue: opened,
    counts,
    deadStarts = 0,
  }: Pick<OpenRun, 'queue' | 'counts'> & { readonly deadStarts?: number },
  job: ResolvedJob,
  parts: CallingParts,
): Promise<Counts> {
  await using queue = opened;
  if (counts.calls.open === 0) return counts;
  const { clock, signal, observer, budget } = parts;
  const { graceMs = job.limits.timeoutMs + graceMarginMs } = parts;
  signal.throwIfAborted();
  requireRoom(job.ledger, job.limits.concurrency);
  const { isProven } = parts;
  await using timeline = keepTimeline(queue, clock, parts.meter);
  const { timezone } = job.budget;
  const charges = openCharges(queue, { clock, budget, timezone });
  const open = () => parts.openClient({ isProven, budget: charges });
  await using client = openWhenNeeded(open, charges.refund);
  if (deadStarts > 0) {
    const callsAtOnce = openCallsAtOnce(job.limits, deadStarts).atOnce;
    observer.onFewerCalls?.({ deadStarts, callsAtOnce });
  }
  const wire = new AbortController();
  const onWire = () => client.onWire?.() ?? nothingOnWire;
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    const { calls, atMostMs } = onWire();
    client.stop(signal.reason as Error);
    observer.onStop?.({ answers: calls.length, atMostMs, unanswered: () => onWire().calls });
    grace = setTimeout(() => wire.abort(signal.reason), graceMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await callService(queue, client, {
      ...{
        clock,
        limits: job.limits,
        budget,
        charges,
        deadStarts,
        stopping: signal,
        signal: wire.signal,
      },
      onProgress(current) {
        observer.onProgress(current);
        timeline.tick();
      },
    });
  } finally {
    clearTimeout(grace);
    signal.removeEventListener('abort', stop);
    // Where the ledger is in trouble, what was not charged counts as charged.
    await charges.settle().catch(() => {});
  }
}
