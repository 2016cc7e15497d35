import type { Cell } from '../../core/columns/columns.ts';
import { countFilled, fillCompany } from '../../core/columns/company-cells.ts';
import { companyFields } from '../../core/columns/table-columns.ts';
import { percent, type RunFigures } from '../../core/rules/expectations.ts';
import { readAnswerJson } from '../../core/values/parse-json.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { allServices, type Since } from '../ledger/runs/misses-and-fills.ts';
import type { Run } from '../ledger/runs/runs.ts';

/** With fewer, a loss may be chance. */
const fewestCompanies = 10;
/** More would take longer and show the same. */
const mostCompanies = 2_000;
/** Answers that were stored together are compressed together, so they are sampled together. */
const bundled = 32;

/** Compares companies fetched since the last published result with the answers that they replace. */
export function measureFills(
  { fills, calls, services }: Ledger,
  { job }: Pick<Run, 'job'>,
  since: Since,
): RunFigures['fills'] {
  const pairs = fills.refetched({ ...since, serviceId: allServices });
  const step = Math.ceil(pairs.length / mostCompanies);
  const sample = pairs.filter((_, index) => Math.floor(index / bundled) % step === 0);
  const companies = sample.length;
  if (companies < fewestCompanies) return { companies, fields: [] };
  const sharesOf = (which: 'answerId' | 'beforeId') => {
    const filled = companyFields.values.map(() => 0);
    // In order, because a bundle has up to 32 answers.
    for (const pair of sample.toSorted((one, other) => one[which] - other[which])) {
      const cells: Cell[] = [];
      const body = calls.body(pair[which]);
      const { record } = services.provider(pair.serviceId);
      if (body) fillCompany(record(readAnswerJson(body)), cells, 0);
      countFilled(filled, cells);
    }
    return filled.map((count) => percent(count, companies));
  };
  const before = sharesOf('beforeId');
  const now = sharesOf('answerId');
  const accepted = new Map(fills.accepted(job).map(({ field, share }) => [field, share]));
  const fields = companyFields.values.map(({ path, index }) => {
    const field = path.join('.');
    const most = accepted.get(field) ?? 100;
    return { field, before: Math.min(before[index] ?? 0, most), now: now[index] ?? 0 };
  });
  return { companies, fields };
}
