import { allowedRate, readState } from '../../client/rate/rate-state.ts';
import { readKey } from '../../job/read-key.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { monotonicMs, readSharedRate } from '../../ledger/file/shared-rate.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { noConditions, type PlanConditions } from '../../overview/plan/plan-conditions.ts';
import { budgetPeriods } from '../../rules/shared-budget.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import { accountFor } from '../connect.ts';

/** Reads them without a call. Sample data has neither. */
export function readConditions(job: ResolvedJob, nowMs: number): PlanConditions {
  if (job.service.url === sampleData) return noConditions;
  return { lowered: readLowered(job), spent: readSpent(job, nowMs) };
}

function readLowered({ service, ledger, limits }: ResolvedJob): PlanConditions['lowered'] {
  const address = { service: service.url.replace(/\/+$/, ''), key: keyOf(service) };
  const ceiling = limits.rate === 'none' ? Number.POSITIVE_INFINITY : limits.rate;
  // The rates of processes that run now say nothing about a later run.
  const state = { ...readState(readSharedRate(ledger, address), monotonicMs()), senders: [] };
  const { perSecond, reason } = allowedRate(state, ceiling);
  return perSecond < ceiling ? { perSecond, reason } : undefined;
}

function keyOf(service: ResolvedJob['service']): string {
  try {
    return readKey(service.key, process.env)?.reveal() ?? '';
  } catch {
    // A plan needs no key; without it nothing is known of the rate.
    return '';
  }
}

function readSpent(job: ResolvedJob, nowMs: number): PlanConditions['spent'] {
  const account = accountFor(job);
  using ledger = account === undefined ? undefined : openLedgerToRead(job.ledger);
  if (!ledger || account === undefined) return undefined;
  const { day, month } = budgetPeriods(nowMs, job.budget.timezone);
  const bytes = Buffer.from(account, 'hex');
  const used = ledger.spend.requestsIn(bytes, month, day);
  return {
    day: { requests: used.day, freeAtMs: day.untilMs },
    month: { requests: used.month, freeAtMs: month.untilMs },
  };
}
