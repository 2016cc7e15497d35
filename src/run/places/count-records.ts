import { type RecordSource, writeRecords } from '../../sinks/write-records.ts';

/** What there is to say of a result that was written nowhere: its counts alone. */
export async function countRecords(
  source: RecordSource,
  changesSince: string | null,
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
  const nothing = { files: [], unchanged: [], removed: [], tally: undefined, isSame: false };
  return { folder: null, changesSince, counts, ...nothing };
}
