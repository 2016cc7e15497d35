import { type Run, runName } from '../../ledger/runs/runs.ts';
import type { RecordSource } from '../../sinks/write-records.ts';
import { writeRecords } from '../../sinks/write-records.ts';

/** What there is to say of a result that was written nowhere: its counts alone. */
export async function countRecords(
  source: RecordSource,
  base: Run | undefined,
  signal: AbortSignal | undefined,
) {
  const plan = {
    headers: source.records.inputColumns,
    files: [],
    names: { seniority: {}, department: {} },
    options: { excelSafe: false, delimiter: ',' as const },
    isTallied: false,
  };
  const counts = await writeRecords(source, [], plan, signal);
  const changesSince = base ? runName(base) : null;
  const nothing = { files: [], unchanged: [], removed: [], tally: undefined, isSame: false };
  return { folder: null, changesSince, counts, ...nothing };
}
