import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DossierError } from '../../core/errors.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import type { RunQueue } from '../../engine/queue/run-queue.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { freeBytesAt } from '../../platform/files/disk.ts';
import type { RunParts } from '../run-parts.ts';
import { allowedAtOnce, callLoop } from './call-loop.ts';
import { createCharges } from './charges.ts';
import { createRouter } from './router.ts';
import { payableAttempts, type StartBudget } from './start-budget.ts';

/** Added to the timeout of a call when a run stops, for a slow commit or response body. */
const graceMarginMs = 2_000;
const leastFreeBytes = 1_024 * 1_024;
/** One large compressed answer, with its part of SQLite's log. */
const bytesPerCall = 64 * 1_024;

export async function completeOpenCalls(
  opened: { readonly queue: RunQueue; readonly counts: Counts },
  job: ResolvedJob,
  parts: Omit<RunParts, 'version'> & { hasEverFound: readonly boolean[]; budget: StartBudget },
  deadStarts = 0,
): Promise<Counts> {
  await using queue = opened.queue;
  // Rows may also wait for the decision whether the next service is asked.
  if (opened.counts.calls.open + opened.counts.rows.open === 0) return opened.counts;
  const { clock, signal: stopping, observer, hasEverFound } = parts;
  const { limits, ledger } = job;
  const { graceMs = limits.timeoutMs + graceMarginMs } = parts;
  stopping.throwIfAborted();
  requireDiskSpace(ledger, limits.concurrency);
  if (deadStarts > 0) {
    const callsAtOnce = allowedAtOnce(limits.concurrency, deadStarts, 0);
    observer.onFewerCalls?.({ deadStarts, callsAtOnce });
  }
  const charges = createCharges(queue, clock, parts.budget);
  const services = job.services.map((service) => ({
    ...service,
    attempts: payableAttempts(job, service),
  }));
  const router = createRouter((index) => {
    const attempts = services[index]?.attempts ?? limits.attempts;
    const budget = charges.forService(index);
    const facts = { hasEverFound: hasEverFound[index] === true, attempts, budget };
    return parts.openClient(facts, index);
  });
  const abandoning = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    const { calls, atMostMs } = router.requestsInFlight();
    router.stop(stopping.reason as Error);
    observer.onStop?.({
      answers: calls.length,
      atMostMs,
      unanswered: () => [...charges.leased.values()].map(({ call }) => call),
    });
    grace = setTimeout(() => abandoning.abort(stopping.reason), graceMs);
  };
  stopping.addEventListener('abort', stop, { once: true });
  try {
    return await callLoop(queue, router, {
      clock,
      limits,
      services,
      charges,
      stopping,
      signal: abandoning.signal,
      deadStarts,
      onProgress: (counts) => observer.onProgress(counts),
    });
  } finally {
    clearTimeout(grace);
    stopping.removeEventListener('abort', stop);
    // If the ledger fails, bookings are lost, so their requests count as charged.
    await charges.settle().catch(() => {});
    await router[Symbol.asyncDispose]();
  }
}

function requireDiskSpace(ledger: string, concurrency: number): void {
  // The ledger may be a link to a different disk.
  const freeBytes = freeBytesAt(existsSync(ledger) ? ledger : dirname(ledger));
  if (freeBytes === undefined || freeBytes >= leastFreeBytes + concurrency * bytesPerCall) return;
  const free = `${Math.floor(freeBytes / 1_024)} KB`;
  throw new DossierError(
    'LEDGER_TROUBLE',
    `${ledger} has only ${free} left on its disk; answers would be paid for and lost`,
  );
}
