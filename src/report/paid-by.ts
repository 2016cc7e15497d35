import type { Ledger } from '../ledger/open-ledger.ts';
import { totalSpend } from '../rules/total-spend.ts';
import { formatMonies } from '../runtime/budget/money.ts';
import type { ReportData } from './data/report-data.ts';

/** What a run has cost, for the page; nothing where its job tells no price. */
export function paidBy({ spend }: Pick<Ledger, 'spend'>, runId: number): Pick<ReportData, 'paid'> {
  const { requests, money } = totalSpend(spend.ofRun(runId));
  return money.length === 0 ? {} : { paid: { money: formatMonies(money), requests } };
}
