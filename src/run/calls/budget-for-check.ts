import { DossierError } from '../../core/errors.ts';
import type { RequestEnd } from '../../core/rules/budgets.ts';
import type { ProbeBudget } from '../../engine/client/probe-service.ts';
import { openLedger } from '../../engine/ledger/open-ledger.ts';
import { createSpendCounter, type SpendCounter } from '../../engine/queue/count-spend.ts';
import type { ResolvedJob, ResolvedService } from '../../job/resolved-job.ts';
import { spendTerms } from '../terms-of-job.ts';

/** Counts the request of a check like one of a lookup, in the budgets that all jobs share. */
export function budgetForCheck(
  job: ResolvedJob,
  service: ResolvedService,
  accounts: readonly string[] | undefined,
): ProbeBudget {
  const spend = spendTerms(job, service, [accounts], 0);
  if (!spend) return { reserve: () => true, end: () => {} };
  const within = <Result>(work: (counter: SpendCounter) => Result): Result => {
    using ledger = openLedger(job.ledger);
    return ledger.inTransaction(() => {
      ledger.services.name([{ ...service, spend }]);
      return work(createSpendCounter(ledger, spend, { job: job.name, runId: 0 }, 0));
    });
  };
  let quarterAt = 0;
  return {
    reserve() {
      const update = { atMs: Date.now(), bookings: [] };
      const { granted, reservedQuarterAt } = within((counter) =>
        counter.reserveUpTo(['company'], update),
      );
      quarterAt = reservedQuarterAt;
      if (granted === 1) return;
      throw new DossierError('BUDGET_SPENT', `the budget of ${service.name} is spent`);
    },
    end(how, isUnpaid = false) {
      const operation = 'company';
      const isAnswer = how !== 'unsent' && how !== 'free';
      const ends: readonly RequestEnd[] =
        how === 'free' ? ['unsent', how] : isAnswer ? ['unpaid'] : [how];
      const bookings = (isAnswer && !isUnpaid ? [] : ends).map(
        (end) => ({ serviceIndex: 0, operation, quarterAt, end }) as const,
      );
      const answers = isAnswer
        ? [{ operationToCount: operation, isUnpaid, result: { kind: how } } as const]
        : [];
      within((counter) => counter.note({ atMs: Date.now(), bookings }, answers));
    },
  };
}
