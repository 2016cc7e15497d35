import { allowedRate } from '../../client/rate/adapt-rate.ts';
import { parseMemory } from '../../client/rate/rate-memory.ts';
import { readKey } from '../../job/read-key.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openSharedRate } from '../../ledger/file/shared-rate.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { noConditions, type PlanConditions } from '../../overview/plan/plan-conditions.ts';
import { budgetPeriods } from '../../rules/shared-budget.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import { accountFor } from '../connect/connect.ts';

/** Reads them without a call. Sample data has neither. */
export function readConditions(job: ResolvedJob, nowMs: number): PlanConditions {
  if (job.service.url === sampleData) return noConditions;
  return { lowered: readLowered(job), spent: readSpent(job, nowMs) };
}

function readLowered({ service, ledger, limits }: ResolvedJob): PlanConditions['lowered'] {
  const address = { service: service.url.replace(/\/+$/, ''), key: keyOf(service) };
  // A file that cannot be read tells nothing, and the run itself says so.
  using shared = openSharedRate(ledger, address, () => {});
  const ceiling = limits.rate === 'none' ? Number.POSITIVE_INFINITY : limits.rate;
  const nobody = { id: '', ceiling, passed: { average: 0, most: 0 } };
  // The ceilings of processes that run now say nothing about a later run.
  const memory = { ...parseMemory(shared.read()), senders: [] };
  const { perSecond, reason } = allowedRate(memory, nobody, shared.nowMs());
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
