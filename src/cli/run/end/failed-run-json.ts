import { exitCodeOf, reasonOf } from '../../../errors.ts';
import { runName } from '../../../ledger/runs/runs.ts';
import { moneyJson } from '../../../runtime/budget/money.ts';
import { sampleData } from '../../../runtime/sample-data.ts';
import { placeJson } from '../../places.ts';
import { failureFacts } from '../../terminal/errors.ts';
import { nameJob } from '../../terminal/text.ts';
import { callFacts, type KnownRun, resultFacts } from '../run-ending.ts';
import type { RunJson } from '../run-json.ts';

/** What `run --json` prints where the run did not finish: the same shape, with what is known. */
export function failedRunJson(error: unknown, known?: KnownRun): RunJson {
  const { message, remedy } = failureFacts(error);
  const { job, run, isResumed, told, exported } = known ?? {};
  const { rows, people } = (known && resultFacts(known)) ?? {};
  return {
    exitCode: exitCodeOf(error),
    reason: reasonOf(error),
    ...{ message, remedy },
    run: run ? runName(run) : null,
    job: job ?? null,
    resumed: isResumed ?? false,
    sampleData: run ? run.service === sampleData : null,
    notes: (told?.notes ?? []).map(nameJob),
    replaced: null,
    rows: rows ?? null,
    corrections: run ? (run.corrections?.applied ?? 0) : null,
    people: people ?? null,
    changes: null,
    calls: (known && callFacts(known)) ?? null,
    requests: known?.requests ?? 0,
    money: known?.money ? moneyJson(known.money) : null,
    seconds: known?.seconds ?? null,
    complete: false,
    held: known?.held ? [...known.held] : null,
    folder: exported?.folder ?? null,
    files: [...(exported?.files ?? [])],
    unchanged: [...(exported?.unchanged ?? [])],
    places: (exported?.places ?? []).map(placeJson),
  };
}
