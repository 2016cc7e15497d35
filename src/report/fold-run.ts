import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RunRecords } from '../ledger/run-records.ts';
import { mergePeople } from '../records/merge-people.ts';
import { flattenRow } from '../records/row-record.ts';
import type { RowCounts } from '../sinks/manifest.ts';
import { openRunTally, type RunTally } from '../sinks/tally/run-tally.ts';

/** Others get their turn after so many rows. */
const rowsAtOnce = 200;

/** What an export would fold, without writing anything: for a report of a run that others made. */
export async function foldRun(
  records: RunRecords,
  signal: AbortSignal,
): Promise<{ readonly tally: RunTally; readonly counts: RowCounts }> {
  const tally = openRunTally();
  const counts = { rows: 0, matched: 0, not_found: 0, invalid: 0, failed: 0, people: 0 };
  const inputWidth = records.inputColumns.length;
  for (const row of records.rows()) {
    counts.rows += 1;
    counts[row.status] += 1;
    tally.addRow(row, flattenRow(row, inputWidth));
    if (counts.rows % rowsAtOnce === 0) await nextTurn(undefined, { signal });
  }
  for (const company of records.hasPeople ? records.people() : []) {
    for (const person of mergePeople(company)) {
      counts.people += 1;
      tally.addPerson(person);
    }
    await nextTurn(undefined, { signal });
  }
  return { tally: tally.facts(), counts };
}
