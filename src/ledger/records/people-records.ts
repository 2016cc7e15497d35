import type { Database } from 'better-sqlite3';
import type { Country } from '../../contract/countries.ts';
import { readPeoplePage } from '../../contract/people-answer.ts';
import { type BodyPlace, bodyColumns } from '../calls/bodies.ts';
import { isWhole, lastOutcome, runBeforeFailure } from '../rows/outcomes.ts';
import type { ChangedPeople, HowToLook, PeopleRecord, RecordedRun } from '../run-records.ts';
import { lastSearchesIn } from '../runs/searches.ts';
import { type Statements, statementsOn } from '../statements.ts';
import type { ReadJson, RecordParts } from './record-parts.ts';

interface Company {
  readonly companyId: string;
  readonly country: Country;
}

export interface CompanyOfRow extends Company {
  readonly number: number;
  readonly key: string;
}

const companiesInBatch = 500;

export function peopleRecordsIn(statements: Statements, parts: RecordParts) {
  const { timeOf } = parts;
  const lastSearches = lastSearchesIn(statements);
  type StoredSearch = ReturnType<typeof lastSearches>[number];
  const pagesOf = statements.all<
    [searchId: number],
    BodyPlace & { answerId: number; fetched_at: number }
  >(`
    select t.answer_id as answerId, a.fetched_at, ${bodyColumns}
    from completed_call t join answer a on a.id = t.answer_id
    where t.search_id = ? and a.outcome = 'hit' order by t.page`);
  const rows = companyRowsIn(statements.db, parts);

  function* companiesOf({ id }: RecordedRun): Generator<Company> {
    let after = 0;
    for (;;) {
      const firsts = rows.firsts(id, after);
      yield* firsts;
      const last = firsts.at(-1);
      if (!last || firsts.length < companiesInBatch) return;
      after = last.number;
    }
  }

  /** Undefined where no row of the run has found the company. */
  const recordOf = (run: RecordedRun, company: Company, readJson: ReadJson) => {
    const found = rows.of(run.id, company);
    if (found.length === 0) return undefined;
    const areStale = found.every(({ isStale }) => isStale === 1);
    // People of stale rows were not searched for anew; they may have come back with the first of the rows.
    const shownSince = areStale ? Math.min(...found.map(({ changedRun }) => changedRun)) : 0;
    const people = peopleOf(run, readJson, company, shownSince);
    return {
      companyId: company.companyId,
      country: company.country,
      ...people,
      rows: found.map(({ number }) => number),
      rowKeys: found.map(({ key }) => key),
      isStale: people.isStale || areStale,
    };
  };

  function* of(run: RecordedRun, readJson: ReadJson): Generator<PeopleRecord> {
    if (!run.hasPeople) return;
    rows.fill(run);
    for (const company of companiesOf(run)) {
      const record = recordOf(run, company, readJson);
      if (record) yield record;
    }
  }

  function* changed(
    base: RecordedRun,
    run: RecordedRun,
    readJson: ReadJson,
    how: HowToLook,
  ): Generator<ChangedPeople> {
    if (base.hasPeople) rows.fill(base, how);
    if (run.hasPeople) rows.fill(run);
    for (const company of run.hasPeople ? companiesOf(run) : []) {
      const isInBase = rows.of(base.id, company).length > 0;
      const [searched] = searchesOf(run, company, run.id);
      if (isInBase && (searched?.runId ?? 0) <= base.id) continue;
      const after = recordOf(run, company, readJson);
      yield { before: recordOf(base, company, readJson), after };
    }
    for (const company of base.hasPeople ? companiesOf(base) : []) {
      if (rows.of(run.id, company).length > 0) continue;
      yield { before: recordOf(base, company, readJson), after: undefined };
    }
  }

  /** The people of one company that a row has found. Other rows may have found it, too, which takes a look at all. */
  const ofRow = (run: RecordedRun, readJson: ReadJson, row: CompanyOfRow) => {
    if (!run.hasPeople) return undefined;
    if (standingSearches(run, row).searches.length === 0) return undefined;
    const people = peopleOf(run, readJson, row, 0);
    const { companyId, country, number, key } = row;
    return { companyId, country, ...people, rows: [number], rowKeys: [key] };
  };

  const searchesOf = ({ job }: RecordedRun, { companyId, country }: Company, runId: number) =>
    lastSearches({ companyId, country, job, runId });
  const allPages = (searches: readonly StoredSearch[]) => searches.flatMap(({ id }) => pagesOf(id));

  /** The searches of a company that stand for it: the last ones, or those before where they did not end. */
  function standingSearches(run: RecordedRun, company: Company) {
    const last = searchesOf(run, company, run.id);
    let ended = last;
    // Goes back to the last ones that have all ended; a service may be down for several nights.
    while (ended.some(({ state }) => state !== 'ended')) {
      const [{ runId } = { runId: 0 }] = ended;
      ended = searchesOf(run, company, runId - 1);
    }
    const { staleSince = 0 } = run;
    const isYoung = () => allPages(ended).every(({ fetched_at }) => fetched_at >= staleSince);
    const isStale = ended !== last && ended.length > 0 && isYoung();
    return { isStale, last, searches: isStale ? ended : last };
  }

  function peopleOf(run: RecordedRun, readJson: ReadJson, company: Company, shownSince: number) {
    const { isStale, last, searches } = standingSearches(run, company);
    return {
      isStale,
      // The search that failed tells since when the people before it are shown.
      ...changesOf(run, last, shownSince),
      searches: searches.map(({ id, seniority, department, position, isComplete }) => ({
        seniority: seniority || null,
        department: department || null,
        position: position || null,
        isComplete: isComplete === 1,
        pages: pagesOf(id).map((page) => ({
          fetchedAt: new Date(page.fetched_at).toISOString(),
          people: readPeoplePage(readJson(page))?.people ?? [],
        })),
      })),
    };
  }

  function changesOf(run: RecordedRun, [first]: readonly StoredSearch[], shownSince: number) {
    const changedRun = first ? Math.max(first.runId, shownSince) : null;
    const stored = JSON.parse(first?.changedRuns ?? '{}') as Record<string, number>;
    const changedRunByPerson: Record<string, number> = {};
    const changedAtByPerson: Record<string, string> = {};
    for (const [person, runId] of Object.entries(stored)) {
      const since = Math.max(runId, shownSince);
      changedRunByPerson[person] = since;
      const time = timeOf(run, since);
      if (time !== null) changedAtByPerson[person] = time;
    }
    return {
      changedRun,
      changedRunByPerson,
      changedAt: timeOf(run, changedRun),
      changedAtByPerson,
    };
  }
  return {
    /** Companies of a run in the order of their first row. */
    of,
    ofRow,
    /** Companies whose people may differ between two runs. */
    changed,
  };
}

interface CompanyRow {
  readonly number: number;
  readonly key: string;
  readonly isStale: 0 | 1;
  /** The run in which the record of the row last became different. */
  readonly changedRun: number;
}

/** The rows of runs by their companies, in a table that only this connection sees. */
function companyRowsIn(db: Database, { lists, openRowsOf }: RecordParts) {
  let opened: ReturnType<typeof openTable> | undefined;
  const table = () => {
    opened ??= openTable(db);
    return opened;
  };
  return {
    /** Fills the table with the rows of a run, in the place of what it held of it. */
    fill(run: RecordedRun, { throughFailures = false }: HowToLook = {}) {
      const { clear, add, addBeforeFailure } = table();
      clear(run.id);
      const waiting = openRowsOf(run).ids;
      for (const { firstNumber, rowIds } of lists.blocks(run.listId)) {
        // A row that waits has an outcome in this run only where it keeps a stale answer.
        const rows = rowIds.map((rowId, index) => {
          return [firstNumber + index, rowId, waiting.has(rowId) ? run.id : 0];
        });
        const block = { runId: run.id, rows: JSON.stringify(rows) };
        add(block);
        if (throughFailures) addBeforeFailure(block);
      }
    },
    /** Companies with their first rows, after one of these. */
    firsts: (runId: number, after: number) => table().firsts(runId, after),
    of: (runId: number, { companyId, country }: Company) => table().of(runId, companyId, country),
  };
}

function openTable(db: Database) {
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
  const { run, all } = statementsOn(db);
  const adding = (which: string) =>
    run<[{ runId: number; rows: string }]>(`
      insert into temp.company_row (
        run_id, company_id, country, number, key, is_stale, changed_run)
      select :runId, a.company_id, r.country, r.number, r.key, o.is_stale,
        coalesce(o.changed_run, o.run_id)
      from (
        select i.value ->> 0 as number, i.value ->> 2 as since, r.*
        from json_each(:rows) i cross join row r on r.id = i.value ->> 1
      ) r
      cross join outcome o on ${which}
      cross join answer a on a.id = o.answer_id
      where o.status = 'matched' and o.run_id >= r.since and a.company_id is not null
        and ${isWhole('o')}`);
  return {
    clear: run<[runId: number]>(`delete from temp.company_row where run_id = ?`),
    add: adding(lastOutcome),
    addBeforeFailure: adding(
      `o.row_id = r.id and o.run_id = (${runBeforeFailure('r.id')}) and ${hasFailed}`,
    ),
    // A company is listed once, with its first row.
    firsts: all<[runId: number, after: number], Company & { readonly number: number }>(`
      select number, company_id as companyId, country from temp.company_row r
      where run_id = ? and number > ? and not exists (
        select 1 from temp.company_row e
        where e.run_id = r.run_id and e.company_id = r.company_id and e.country = r.country
          and e.number < r.number)
      order by number limit ${companiesInBatch}`),
    of: all<[runId: number, companyId: string, country: Country], CompanyRow>(`
      select number, key, is_stale as isStale, changed_run as changedRun from temp.company_row
      where run_id = ? and company_id = ? and country = ? order by number`),
  };
}

/** Whether a row `r` has failed in run :runId. */
const hasFailed = `(
  select e.status from outcome e where e.row_id = r.id and e.run_id <= :runId
  order by e.run_id desc limit 1) = 'failed'`;
