import { DossierError } from '../../core/errors.ts';
import type { ProbeCharge } from '../../engine/client/probe-service.ts';
import { openLedger } from '../../engine/ledger/open-ledger.ts';
import { createSpendCounter } from '../../engine/queue/count-spend.ts';
import type { ResolvedJob, ResolvedService } from '../../job/resolve-job.ts';
import { spendTerms } from '../open-run.ts';

/** Counts the request of a check like one of a lookup, in the budgets that all jobs share. */
export function chargeCheck(
  job: ResolvedJob,
  service: ResolvedService,
  accounts: readonly string[] | undefined,
): ProbeCharge {
  const spend = spendTerms(job, service, [accounts], 0);
  if (!spend) return { reserve: () => true, end: () => {} };
  const within = <Result>(
    work: (counter: ReturnType<typeof createSpendCounter>) => Result,
  ): Result => {
    using ledger = openLedger(job.ledger);
    return ledger.inTransaction(() => {
      ledger.services.name([{ ...service, spend }]);
      return work(createSpendCounter(ledger, spend, { job: job.name, runId: 0 }));
    });
  };
  let quarterAt = 0;
  return {
    reserve() {
      const charge = { atMs: Date.now(), refunds: [] };
      const { granted, reserved } = within((counter) => counter.reserveUpTo(['company'], charge));
      quarterAt = reserved;
      if (granted === 1) return;
      throw new DossierError('BUDGET_SPENT', `the budget of ${service.name} is spent`);
    },
    end(kind) {
      const operation = 'company';
      const atMs = Date.now();
      const refund = { operation, quarterAt } as const;
      const refunds = [refund, { ...refund, isFree: true }];
      within((counter) =>
        kind === undefined
          ? counter.note({ atMs, refunds })
          : counter.note({ atMs, refunds: [] }, [{ charged: operation, result: { kind } }]),
      );
    },
  };
}
