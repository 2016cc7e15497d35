import type { Database } from 'better-sqlite3';
import { nameColumn } from '../../../core/columns/columns.ts';
import type {
  ChangedPeople,
  OpenedRow,
  PeopleRecord,
  RecordedRun,
  RowRecord,
} from '../../../core/columns/run-records.ts';
import type { Country } from '../../../core/contract/countries.ts';
import { peopleIn } from '../../providers/read-body.ts';
import { bodyColumns, type StoredBody } from '../calls/bodies.ts';
import { rowsInBatch } from '../rows/lists.ts';
import { checksumMatches, lastOutcome, runBeforeFailure, serviceOfCall } from '../rows/outcomes.ts';
import { type LastSearch, lastSearchesIn } from '../runs/searches.ts';
import { type Statements, statementsOn } from '../statements.ts';
import type { Excluded, FoundCompany } from './excluded.ts';
import type { RecordParts } from './record-parts.ts';

interface Company {
  readonly companyId: string;
  readonly country: Country;
  /** The id means something only at this service. */
  readonly serviceId: number;
}

export function peopleRecordsIn(statements: Statements, parts: RecordParts) {
  const searchedIn = searchedPeopleIn(statements, parts);
  const hasSearches = statements.value<0 | 1>(
    `select exists (select 1 from search where run_id > ? and run_id <= ?)`,
  );
  return (excluded: Excluded) => {
    const rows = companyRowsIn(statements.db, parts, excluded);
    const people = searchedIn(excluded);

    const recordOf = (run: RecordedRun, company: Company) => {
      const companyRows = rows.ofCompany(run.id, company);
      const [first] = companyRows;
      if (!first) return undefined;
      const areStale = companyRows.every(({ isStale }) => isStale === 1);
      // If all rows are stale, the people count as changed when the first of these rows changed.
      const staleSince = areStale ? Math.min(...companyRows.map((row) => row.changedRun)) : 0;
      return people.record(run, company, companyRows, rows.cellsOf(first.rowId), staleSince);
    };

    return {
      /** In the order of each company's first row. */
      *ofRun(run: RecordedRun): Generator<PeopleRecord> {
        if (!run.hasPeople) return;
        rows.fill(run);
        for (const company of rows.companies(run.id)) {
          const record = recordOf(run, company);
          if (record) yield record;
        }
      },
      *changed(
        base: RecordedRun,
        run: RecordedRun,
        throughFailures: boolean,
      ): Generator<ChangedPeople> {
        if (!base.hasPeople || !run.hasPeople || !hasSearches(base.id, run.id)) return;
        rows.fill(base, throughFailures);
        rows.fill(run);
        for (const company of rows.companies(run.id)) {
          const isInBase = rows.ofCompany(base.id, company).length > 0;
          if (isInBase && people.searchedIn(run, company) <= base.id) continue;
          yield { before: recordOf(base, company), after: recordOf(run, company) };
        }
        for (const company of rows.companies(base.id)) {
          if (rows.ofCompany(run.id, company).length > 0) continue;
          yield { before: recordOf(base, company), after: undefined };
        }
      },
      /** Lists only this row, because finding the company's other rows would read all rows. */
      ofRow(run: RecordedRun, row: OpenedRow) {
        return run.hasPeople && people.searchedIn(run, row) > 0
          ? people.record(run, row, [row], row.cells, 0)
          : undefined;
      },
    };
  };
}

type NamedRow = Pick<RowRecord, 'number' | 'key'>;

interface StoredPage extends StoredBody {
  readonly answerId: number;
  readonly fetched_at: number;
}

/** The people that a run shows for a company: those of its last search, or of the one before a failed one. */
function searchedPeopleIn(statements: Statements, parts: RecordParts) {
  const { services, timeOf, readJson, nameOf } = parts;
  const lastSearches = lastSearchesIn(statements);
  const pagesOf = statements.all<StoredPage>(`
    select t.answer_id as answerId, a.fetched_at, ${bodyColumns}
    from completed_call t join answer a on a.id = t.answer_id
    where t.search_id = ? and a.outcome = 'hit' order by t.page`);
  return ({ countedAt, peopleSince, shownPeople }: Excluded) => {
    const searchesUpTo = ({ job }: RecordedRun, company: Company, runId: number) =>
      lastSearches({ ...company, job, runId });
    const isSince = ({ answerId, fetched_at }: StoredPage, since: number) =>
      countedAt(answerId, fetched_at) >= since;

    /** Empty if every search failed, or if those before the failure are too old to be shown. */
    const endedBefore = (run: RecordedRun, company: Company, last: readonly LastSearch[]) => {
      let ended = last;
      // A service may be down for several nights, so skip every run whose searches failed.
      while (ended.some(({ state }) => state !== 'ended')) {
        const [{ runId } = { runId: 0 }] = ended;
        ended = searchesUpTo(run, company, runId - 1);
      }
      const service = services.identityOf(company.serviceId) ?? '';
      const staleSince = run.lastStartedAt - (run.staleMs?.[service] ?? Number.POSITIVE_INFINITY);
      const pages = ended.flatMap(({ id }) => pagesOf(id));
      return ended !== last && pages.every((page) => isSince(page, staleSince)) ? ended : [];
    };

    /** If a search did not end, the earlier ones of the company are shown. */
    const shownOf = (run: RecordedRun, company: Company, last: readonly LastSearch[]) => {
      const earlier = endedBefore(run, company, last);
      if (earlier.length === 0) return last;
      if (run.finishedAt !== null) return earlier;
      // No changes come from an unfinished run, so it may show searches of two runs.
      return last.map((search) => {
        if (search.state === 'ended') return search;
        return earlier.find((one) => filtersOf(one) === filtersOf(search)) ?? search;
      });
    };

    const asRecord = (
      run: RecordedRun,
      { id, seniority, department, position, isComplete }: LastSearch,
    ) => {
      const pages = pagesOf(id);
      const shown = pages.filter((page) => isSince(page, peopleSince));
      return {
        seniority: seniority || null,
        department: department || null,
        position: position || null,
        isComplete: isComplete === 1 && shown.length === pages.length,
        pages: shown.map((page) => ({
          fetchedAt: new Date(page.fetched_at).toISOString(),
          people: shownPeople(peopleIn(services.provider(page.serviceId), readJson(run, page))),
        })),
      };
    };

    return {
      /** The run that searched last, or 0. */
      searchedIn: (run: RecordedRun, company: Company) =>
        searchesUpTo(run, company, run.id)[0]?.runId ?? 0,

      record(
        run: RecordedRun,
        company: Company,
        rows: readonly NamedRow[],
        cells: RowRecord['cells'],
        staleSince: number,
      ): PeopleRecord & Company {
        const { companyId, country, serviceId } = company;
        const last = searchesUpTo(run, company, run.id);
        const shown = shownOf(run, company, last);
        // People of an earlier search count as changed in the run whose search failed.
        const [first] = last;
        const changedRun = first ? Math.max(first.runId, staleSince) : null;
        const stored = JSON.parse(first?.changedRuns ?? '{}') as Record<string, number>;
        const changes = Object.entries(stored).map(
          ([person, runId]) => [person, Math.max(runId, staleSince)] as const,
        );
        return {
          companyId,
          country,
          serviceId,
          ...(run.services.length > 1 && { service: nameOf(serviceId) }),
          rows: rows.map(({ number }) => number),
          rowKeys: rows.map(({ key }) => key),
          listCompany: cells[nameColumn(run.columns) ?? -1]?.trim() || null,
          isStale: staleSince > 0 || shown.some(({ runId }) => runId !== first?.runId),
          searches: shown.map((one) => asRecord(run, one)),
          changedRun,
          changedRunByPerson: Object.fromEntries(changes),
          changedAt: timeOf(run, changedRun),
          changedAtByPerson: Object.fromEntries(
            changes.flatMap(([person, runId]) => {
              const time = timeOf(run, runId);
              return time === null ? [] : [[person, time]];
            }),
          ),
        };
      },
    };
  };
}

function filtersOf({ seniority, department, position }: LastSearch) {
  return JSON.stringify([seniority, department, position]);
}

interface CompanyRow {
  readonly rowId: number;
  readonly number: number;
  readonly key: string;
  readonly isStale: 0 | 1;
  readonly changedRun: number;
}

function companyRowsIn(db: Database, { lists, openRows }: RecordParts, { whyExcluded }: Excluded) {
  const { change, all, value } = statementsOn(db);
  const clear = change(`delete from temp.company_row where run_id = ?`);
  const adding = (which: string) =>
    change(`
      insert into temp.company_row (
        run_id, company_id, country, service_id, number, row_id, key, is_stale, changed_run,
        candidates, answer_id)
      select :runId, a.company_id, r.country, coalesce(${serviceOfCall}, 0), r.number, r.id, r.key, o.is_stale,
        coalesce(o.changed_run, o.run_id), r.candidates, a.id
      from (
        select i.value ->> 0 as number, i.value ->> 2 as since, r.*
        from json_each(:rows) i cross join row r on r.id = i.value ->> 1
      ) r
      cross join outcome o on ${which}
      cross join answer a on a.id = o.answer_id
      where o.status = 'matched' and o.run_id >= r.since and a.company_id is not null
        and ${checksumMatches('o')}`);
  const add = adding(lastOutcome);
  const addBeforeFailure = adding(
    `o.row_id = r.id and o.run_id = (${runBeforeFailure('r.id')}) and ${hasFailed}`,
  );
  const rowsOf = all<CompanyRow & FoundCompany>(`
    select r.number, r.row_id as rowId, r.key, r.is_stale as isStale, r.changed_run as changedRun, r.candidates,
      r.answer_id as answerId, r.company_id, a.fetched_at,
      (select service_id from call where id = a.call_id) as serviceId
    from temp.company_row r join answer a on a.id = r.answer_id
    where r.run_id = ? and r.company_id = ? and r.country = ? and r.service_id = ?
    order by r.number`);
  const firsts = all<Company & { readonly number: number }>(`
    select number, company_id as companyId, country, service_id as serviceId
    from temp.company_row r
    where run_id = ? and number > ? and not exists (
      select 1 from temp.company_row e
      where e.run_id = r.run_id and e.company_id = r.company_id and e.country = r.country
        and e.service_id = r.service_id and e.number < r.number)
    order by number limit ${rowsInBatch}`);
  const cellsOf = value<string>(`select cells from row where id = ?`);
  return {
    cellsOf: (rowId: number): RowRecord['cells'] => JSON.parse(cellsOf(rowId) ?? '[]'),
    fill(recorded: RecordedRun, throughFailures = false) {
      const { id: runId, listId } = recorded;
      db.exec(companyRowTable);
      clear(runId);
      const waiting = openRows(recorded).ids;
      for (const { firstNumber, rowIds } of lists.blocks(listId)) {
        // An open row must not show people of an earlier run, which this run may not find again.
        const rows = rowIds.map((rowId, index) => {
          return [firstNumber + index, rowId, waiting.has(rowId) ? runId : 0];
        });
        const block = { runId, rows: JSON.stringify(rows) };
        add(block);
        if (throughFailures) addBeforeFailure(block);
      }
    },
    *companies(runId: number): Generator<Company> {
      let after = 0;
      for (;;) {
        const some = firsts(runId, after);
        yield* some;
        const last = some.at(-1);
        if (!last || some.length < rowsInBatch) return;
        after = last.number;
      }
    },
    ofCompany: (runId: number, { companyId, country, serviceId }: Company): CompanyRow[] =>
      rowsOf(runId, companyId, country, serviceId).filter((row) => !whyExcluded(row)),
  };
}

const companyRowTable = `
  create temp table if not exists company_row (
    run_id integer not null,
    company_id text not null,
    country text not null,
    service_id integer not null,
    number integer not null,
    row_id integer not null,
    key text not null,
    is_stale integer not null,
    changed_run integer not null,
    candidates text not null,
    answer_id integer not null,
    primary key (run_id, company_id, country, service_id, number)
  ) strict, without rowid;
  create index if not exists temp.company_row_number on company_row (run_id, number)`;

const hasFailed = `(
  select e.status from outcome e where e.row_id = r.id and e.run_id <= :runId
  order by e.run_id desc limit 1) = 'failed'`;
