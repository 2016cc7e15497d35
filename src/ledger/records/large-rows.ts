import type { Database } from 'better-sqlite3';
import type { Lists } from '../rows/lists.ts';
import { lastOutcome } from '../rows/outcomes.ts';
import type { LargeRow, RecordedRun } from '../run-records.ts';

/** As the index of large answers has it. */
const isLarge = 'body_length > 65536';

/** Finds the rows of a run with large answers, in their order. */
export function largeRowsIn(db: Database, lists: Lists): (run: RecordedRun) => LargeRow[] {
  const any = db.prepare(`select 1 from answer where ${isLarge} limit 1`);
  const ofBlock = db.prepare<{ runId: number; firstNumber: number; rowIds: string }, LargeRow>(`
    select r.number, a.body_length as bytes
    from (
      select key + :firstNumber as number, value as id from json_each(:rowIds)
    ) r
    cross join outcome o on ${lastOutcome}
    cross join answer a on a.id = o.answer_id
    where o.answer_id in (select id from answer where ${isLarge})
    order by r.number`);
  return ({ id: runId, listId }) => {
    // Most ledgers have no large answer, and then the rows are not looked through for them.
    if (!any.get()) return [];
    const found: LargeRow[] = [];
    for (const { firstNumber, rowIds } of lists.blocks(listId)) {
      found.push(...ofBlock.all({ runId, firstNumber, rowIds: JSON.stringify(rowIds) }));
    }
    return found;
  };
}
