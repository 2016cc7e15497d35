import type { Database } from 'better-sqlite3';
import type { Country } from '../../contract/countries.ts';
import { readPeoplePage } from '../../contract/people-answer.ts';
import { type BodyPlace, bodyColumns } from '../calls/bodies.ts';
import type { PeopleRecord, RecordedRun, SearchRecord } from '../run-records.ts';
import { lastOutcome } from '../runs/outcomes.ts';
import type { ReadJson } from './answer-json.ts';
import type { RecordParts } from './record-parts.ts';

export interface PeopleRecords {
  /** Companies of a run in the order of their first row. */
  of(run: RecordedRun, readJson: ReadJson): Iterable<PeopleRecord>;
}

const companiesInBatch = 500;

export function peopleRecordsIn(
  db: Database,
  { lists, times, openRowsOf }: RecordParts,
): PeopleRecords {
  const statements = prepareStatements(db);

  function* of(run: RecordedRun, readJson: ReadJson): Generator<PeopleRecord> {
    if (!run.hasPeople) return;
    const rows = companyRows(db);
    rows.clear();
    const open = openRowsOf(run).ids;
    for (const { firstNumber, rowIds } of lists.blocks(run.listId)) {
      const numbered = rowIds.map((rowId, index) => [firstNumber + index, rowId] as const);
      // A row that waits has an outcome in this run only where it keeps a stale answer.
      const waiting = numbered.filter(([, rowId]) => open.has(rowId));
      rows.add({ runId: run.id, since: run.id, rows: JSON.stringify(waiting) });
      const ended = numbered.filter(([, rowId]) => !open.has(rowId));
      rows.add({ runId: run.id, since: 0, rows: JSON.stringify(ended) });
    }
    let after = 0;
    for (;;) {
      const firsts = rows.firsts({ after, limit: companiesInBatch });
      for (const { number, companyId, country } of firsts) {
        after = number;
        const found = rows.of({ companyId, country });
        const people = peopleOf(run, readJson, companyId, country);
        yield {
          ...{ companyId, country, ...people },
          rows: found.map((row) => row.number),
          rowKeys: found.map((row) => row.key),
          isStale: people.isStale || found.every(({ isStale }) => isStale === 1),
        };
      }
      if (firsts.length < companiesInBatch) return;
    }
  }

  /** The searches of a company that stand for it: the last ones, or those before where they did not end. */
  function peopleOf(run: RecordedRun, readJson: ReadJson, companyId: string, country: Country) {
    const company = { companyId, country, job: run.job };
    const last = statements.searches.all({ ...company, upToRun: run.id });
    const hasEnded = (searches: readonly StoredSearch[]) =>
      searches.every(({ state }) => state === 'ended');
    const lastRun = last[0]?.runId ?? 0;
    const earlier = hasEnded(last)
      ? []
      : statements.searches.all({ ...company, upToRun: lastRun - 1 });
    const isStale = earlier.length > 0 && hasEnded(earlier) && isYoung(run, earlier);
    const searches = isStale ? earlier : last;
    return {
      isStale,
      ...changesOf(run, searches),
      searches: searches.map((search) =>
        asSearch(search, statements.pages.all({ searchId: search.id }), readJson),
      ),
    };
  }

  function isYoung({ staleSince = 0 }: RecordedRun, searches: readonly StoredSearch[]): boolean {
    const pages = searches.flatMap(({ id }) => statements.pages.all({ searchId: id }));
    return pages.every(({ fetched_at }) => fetched_at >= staleSince);
  }

  function changesOf(run: RecordedRun, searches: readonly StoredSearch[]) {
    const byPerson: Record<string, string> = {};
    for (const { changedRuns } of searches) {
      const runs = JSON.parse(changedRuns ?? '{}') as Record<string, number>;
      for (const [person, changedRun] of Object.entries(runs)) {
        const time = times.of(run, changedRun);
        if (time !== null) byPerson[person] = time;
      }
    }
    return {
      changedAt: times.of(run, searches[0]?.runId ?? null),
      changedAtByPerson: byPerson,
    };
  }
  return { of };
}

interface StoredSearch {
  id: number;
  runId: number;
  seniority: string;
  department: string;
  position: string;
  state: 'open' | 'ended' | 'failed';
  changedRuns: string | null;
}

interface PageRow extends BodyPlace {
  answer_id: number;
  fetched_at: number;
}

function asSearch(
  search: StoredSearch,
  pages: readonly PageRow[],
  readJson: ReadJson,
): SearchRecord {
  return {
    seniority: search.seniority || null,
    department: search.department || null,
    position: search.position || null,
    pages: pages.map((page) => ({
      fetchedAt: new Date(page.fetched_at).toISOString(),
      people: readPeoplePage(readJson(page))?.people ?? [],
    })),
  };
}

/** The rows of a run by their companies, in a table that only this connection sees. */
function companyRows(db: Database) {
  db.exec(`
    create temp table if not exists company_row (
      company_id text not null,
      country text not null,
      number integer not null,
      key text not null,
      is_stale integer not null,
      primary key (company_id, country, number)
    ) strict, without rowid;
    create index if not exists temp.company_row_number on company_row (number)`);
  type Company = { companyId: string; country: Country };
  const clear = db.prepare(`delete from temp.company_row`);
  const add = db.prepare(`
    insert into temp.company_row (company_id, country, number, key, is_stale)
    select a.company_id, r.country, r.number, r.key, o.is_stale
    from (
      select i.value ->> 0 as number, r.*
      from json_each(:rows) i cross join row r on r.id = i.value ->> 1
    ) r
    cross join outcome o on ${lastOutcome}
    cross join answer a on a.id = o.answer_id
    where o.status = 'matched' and o.run_id >= :since and a.company_id is not null`);
  // A company is listed once, with its first row.
  const firsts = db.prepare<
    { after: number; limit: number },
    Company & { readonly number: number }
  >(`
    select number, company_id as companyId, country from temp.company_row r
    where number > :after and not exists (
      select 1 from temp.company_row e
      where e.company_id = r.company_id and e.country = r.country and e.number < r.number)
    order by number limit :limit`);
  const of = db.prepare<Company, { number: number; key: string; isStale: 0 | 1 }>(`
    select number, key, is_stale as isStale from temp.company_row
    where company_id = :companyId and country = :country order by number`);
  return {
    clear: () => void clear.run(),
    add: (block: { runId: number; since: number; rows: string }) => void add.run(block),
    firsts: (place: { after: number; limit: number }) => firsts.all(place),
    of: (company: Company) => of.all(company),
  };
}

function prepareStatements(db: Database) {
  type OfCompany = { companyId: string; country: Country; job: string; upToRun: number };
  return {
    searches: db.prepare<OfCompany, StoredSearch>(`
      select id, run_id as runId, seniority, department, position, state,
        changed_runs as changedRuns
      from search
      where company_id = :companyId and country = :country and run_id = (
        select max(l.run_id) from search l join run u on u.id = l.run_id and u.job = :job
        where l.company_id = :companyId and l.country = :country and l.run_id <= :upToRun)
      order by id`),
    pages: db.prepare<{ searchId: number }, PageRow>(`
      select t.answer_id, a.fetched_at, ${bodyColumns}
      from completed_call t join answer a on a.id = t.answer_id
      where t.search_id = :searchId and a.outcome = 'hit' order by t.page`),
  };
}
