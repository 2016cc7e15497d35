import { exitCodeOf, reasonOf } from '../../../errors.ts';
import { runName } from '../../../ledger/runs/runs.ts';
import { totalRows } from '../../../rules/outcomes.ts';
import { moneyJson } from '../../../runtime/budget/money.ts';
import { sampleData } from '../../../runtime/sample-data.ts';
import { failureFacts } from '../../terminal/error-events.ts';
import { callFacts, type KnownRun } from '../run-ending.ts';
import type { RunJson } from '../run-json.ts';

/** What `run --json` prints where the run did not finish: the same shape, with what is known. */
export function failedRunJson(error: unknown, known?: KnownRun): RunJson {
  const { message, remedy } = failureFacts(error);
  const { job, run, isResumed, told, counts, exported } = known ?? {};
  return {
    exitCode: exitCodeOf(error),
    reason: reasonOf(error),
    ...{ message, remedy },
    run: run ? runName(run) : null,
    job: job ?? null,
    resumed: isResumed ?? false,
    sampleData: run ? run.service === sampleData : null,
    notes: [...(told?.notes ?? [])],
    replaced: null,
    rows: counts ? { total: totalRows(counts), ...counts.rows, stale: counts.stale } : null,
    corrections: run ? (run.corrections?.applied ?? 0) : null,
    people: counts?.people ?? null,
    changes: null,
    calls: (known && callFacts(known)) ?? null,
    requests: known?.requests ?? 0,
    money: known?.money ? moneyJson(known.money) : null,
    seconds: known?.seconds ?? null,
    held: known?.held ? [...known.held] : null,
    folder: exported?.folder ?? null,
    files: [...(exported?.files ?? [])],
    unchanged: [...(exported?.unchanged ?? [])],
  };
}
