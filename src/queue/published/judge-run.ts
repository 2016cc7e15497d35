import type { Ledger } from '../../ledger/open-ledger.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';
import {
  type AskedAnew,
  type Breach,
  type Expectation,
  findBreaches,
  type History,
  type RunFigures,
} from '../../rules/expectations.ts';
import { type Counts, totalRows } from '../../rules/outcomes.ts';
import { sampleData } from '../../runtime/sample-data.ts';

const nothingAnew: AskedAnew = { rows: 0, matched: 0, hadCompany: 0, isNew: 0 };

/**
 * Holds what has come out of a run against what its job expects, and gives what is not met; null where
 * all is. A try of the first rows is not judged.
 */
export function judgeRun(
  ledger: Ledger,
  expectations: readonly Expectation[],
  run: Pick<Run, 'id' | 'job' | 'inputPath' | 'rowLimit' | 'service'>,
  counts: Counts,
): readonly Breach[] | null {
  if (run.rowLimit !== null) return null;
  const history = historyBefore(ledger, run);
  const hasAsked = history !== undefined && counts.calls.called > 0;
  const figures: RunFigures = {
    rows: totalRows(counts),
    matched: counts.rows.matched,
    failed: counts.rows.failed + counts.stale,
    history,
    askedAnew: (hasAsked && ledger.judging.askedAnew(run.id)) || nothingAnew,
  };
  const breaches = findBreaches(expectations, figures);
  return breaches.length === 0 ? null : breaches;
}

function historyBefore(
  ledger: Ledger,
  run: Pick<Run, 'id' | 'job' | 'inputPath' | 'service'>,
): History | undefined {
  // What sample data knows says nothing about a real service. The other way round, sample data that comes
  // in the place of a real result by mistake is noticed.
  const published = ledger.runs
    .comparable(run)
    .filter(({ service }) => service !== sampleData || run.service === sampleData);
  const [newest] = published;
  if (!newest) return undefined;
  const before = published.map(({ id }) => ledger.counts(id));
  const sum = (figure: (counts: Counts) => number) =>
    before.reduce((total, counts) => total + figure(counts), 0);
  const last = before[0] as Counts;
  return {
    last: { run: runName(newest), rows: totalRows(last), matched: last.rows.matched },
    matched: sum(({ rows }) => rows.matched),
    asked: sum(({ rows }) => rows.matched + rows.not_found),
  };
}
