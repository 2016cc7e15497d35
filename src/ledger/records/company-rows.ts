import type { Database } from 'better-sqlite3';
import type { Country } from '../../contract/countries.ts';
import type { Lists } from '../rows/lists.ts';
import { defineOutcomeChecksum, isWhole, lastOutcome, runBeforeFailure } from '../rows/outcomes.ts';
import type { HowToLook, RecordedRun } from '../run-records.ts';
import type { OpenRows } from './open-rows.ts';

export interface Company {
  readonly companyId: string;
  readonly country: Country;
}

export interface CompanyRow {
  readonly number: number;
  readonly key: string;
  readonly isStale: 0 | 1;
  /** The run in which the record of the row last became different. */
  readonly changedRun: number;
}

/** The rows of runs by their companies, in a table that only this connection sees. */
export interface CompanyRows {
  /** Fills the table with the rows of a run, in the place of what it held of it. */
  fill(run: RecordedRun, how?: HowToLook): void;
  /** Companies with their first rows, after one of these. */
  firsts(runId: number, after: number, limit: number): (Company & { readonly number: number })[];
  of(runId: number, company: Company): CompanyRow[];
}

interface Parts {
  readonly lists: Lists;
  readonly openRowsOf: (run: RecordedRun) => OpenRows;
}

export function companyRowsIn(db: Database, { lists, openRowsOf }: Parts): CompanyRows {
  const open = onFirstUse(() => openTable(db));
  return {
    fill(run, { throughFailures = false } = {}) {
      const { clear, add, addBeforeFailure } = open();
      clear.run({ runId: run.id });
      const waiting = openRowsOf(run).ids;
      for (const { firstNumber, rowIds } of lists.blocks(run.listId)) {
        const rows = rowIds.map((rowId, index) => [firstNumber + index, rowId] as const);
        // A row that waits has an outcome in this run only where it keeps a stale answer.
        const open = rows.filter(([, rowId]) => waiting.has(rowId));
        add.run({ runId: run.id, since: run.id, rows: JSON.stringify(open) });
        const ended = rows.filter(([, rowId]) => !waiting.has(rowId));
        const endedRows = { runId: run.id, since: 0, rows: JSON.stringify(ended) };
        add.run(endedRows);
        if (throughFailures) addBeforeFailure.run(endedRows);
      }
    },
    firsts: (runId, after, limit) => open().firsts.all({ runId, after, limit }),
    of: (runId, { companyId, country }) => open().of.all({ runId, companyId, country }),
  };
}

function onFirstUse<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function openTable(db: Database) {
  defineOutcomeChecksum(db);
  db.exec(`
    create temp table company_row (
      run_id integer not null,
      company_id text not null,
      country text not null,
      number integer not null,
      key text not null,
      is_stale integer not null,
      changed_run integer not null,
      primary key (run_id, company_id, country, number)
    ) strict, without rowid;
    create index temp.company_row_number on company_row (run_id, number)`);
  const adding = (which: string) =>
    db.prepare<{ runId: number; since: number; rows: string }>(`
      insert into temp.company_row (
        run_id, company_id, country, number, key, is_stale, changed_run)
      select :runId, a.company_id, r.country, r.number, r.key, o.is_stale,
        coalesce(o.changed_run, o.run_id)
      from (
        select i.value ->> 0 as number, r.*
        from json_each(:rows) i cross join row r on r.id = i.value ->> 1
      ) r
      cross join outcome o on ${which}
      cross join answer a on a.id = o.answer_id
      where o.status = 'matched' and o.run_id >= :since and a.company_id is not null
        and ${isWhole('o')}`);
  return {
    clear: db.prepare<{ runId: number }>(`delete from temp.company_row where run_id = :runId`),
    add: adding(lastOutcome),
    addBeforeFailure: adding(
      `o.row_id = r.id and o.run_id = (${runBeforeFailure('r.id')}) and ${hasFailed}`,
    ),
    // A company is listed once, with its first row.
    firsts: db.prepare<
      { runId: number; after: number; limit: number },
      Company & { readonly number: number }
    >(`
      select number, company_id as companyId, country from temp.company_row r
      where run_id = :runId and number > :after and not exists (
        select 1 from temp.company_row e
        where e.run_id = r.run_id and e.company_id = r.company_id and e.country = r.country
          and e.number < r.number)
      order by number limit :limit`),
    of: db.prepare<Company & { runId: number }, CompanyRow>(`
      select number, key, is_stale as isStale, changed_run as changedRun from temp.company_row
      where run_id = :runId and company_id = :companyId and country = :country order by number`),
  };
}

/** Whether a row `r` has failed in run :runId. */
const hasFailed = `(
  select e.status from outcome e where e.row_id = r.id and e.run_id <= :runId
  order by e.run_id desc limit 1) = 'failed'`;
