import type { Cell } from '../../core/columns/columns.ts';
import { companyFields } from '../../core/columns/table-columns.ts';
import { countFilled, fillCompany } from '../../core/columns/tables.ts';
import { fewestCompanies, percent, type RunFigures } from '../../core/rules/expectations.ts';
import { readAnswerJson } from '../../core/runtime/json/parse-json.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Since } from '../ledger/runs/progress.ts';
import type { Run } from '../ledger/runs/runs.ts';

/** More companies would take longer and show the same. */
const mostCompared = 2_000;
/** Answers that were stored together are compressed together, so they are sampled together. */
const bundled = 32;

/** Compares companies fetched since the last published result with the answers that they replace. */
export function measureFills(
  ledger: Ledger,
  { job }: Pick<Run, 'job'>,
  since: Since,
): RunFigures['fills'] {
  const pairs = ledger.fills.refetched(since);
  const step = Math.ceil(pairs.length / mostCompared);
  const sample = pairs.filter((_, index) => Math.floor(index / bundled) % step === 0);
  const companies = sample.length;
  if (companies < fewestCompanies) return { companies, fields: [] };
  const accepted = new Map(ledger.fills.accepted(job).map(({ field, share }) => [field, share]));
  const before = filledIn(ledger, sample, 'beforeId');
  const now = filledIn(ledger, sample, 'answerId');
  const fields = companyFields.values.map(({ path, index }) => {
    const field = path.join('.');
    const share = percent(before[index] ?? 0, companies);
    return {
      field,
      before: Math.min(share, accepted.get(field) ?? share),
      now: percent(now[index] ?? 0, companies),
    };
  });
  return { companies, fields };
}

function filledIn<Side extends string>(
  { calls }: Ledger,
  sample: readonly Readonly<Record<Side, number>>[],
  side: Side,
): number[] {
  const filled = new Array<number>(companyFields.values.length).fill(0);
  for (const pair of sample.toSorted((one, other) => one[side] - other[side])) {
    const body = calls.body(pair[side]);
    const cells: Cell[] = [];
    if (body) fillCompany(readAnswerJson(body), cells, 0);
    countFilled(filled, cells);
  }
  return filled;
}
