import type { Database } from 'better-sqlite3';
import type { Country } from '../../contract/countries.ts';
import { readPeoplePage } from '../../contract/people-answer.ts';
import { type BodyPlace, bodyColumns } from '../calls/bodies.ts';
import type {
  ChangedPeople,
  HowToLook,
  PeopleRecord,
  RecordedRun,
  SearchRecord,
} from '../run-records.ts';
import type { ReadJson } from './answer-json.ts';
import { type Company, companyRowsIn } from './company-rows.ts';
import type { RecordParts } from './record-parts.ts';

export interface PeopleRecords {
  /** Companies of a run in the order of their first row. */
  of(run: RecordedRun, readJson: ReadJson): Iterable<PeopleRecord>;
  /** The people of one company that a row has found, with the ids of the answers that they came with. */
  ofRow(run: RecordedRun, readJson: ReadJson, row: CompanyOfRow): PeopleOfRow | undefined;
  /** Companies whose people may differ between two runs. */
  changed(
    base: RecordedRun,
    run: RecordedRun,
    readJson: ReadJson,
    how: HowToLook,
  ): Iterable<ChangedPeople>;
}

export interface CompanyOfRow extends Company {
  readonly number: number;
  readonly key: string;
}

export interface PeopleOfRow {
  readonly record: PeopleRecord;
  /** In the order of the pages. */
  readonly answerIds: readonly number[];
}

const companiesInBatch = 500;

export function peopleRecordsIn(db: Database, parts: RecordParts): PeopleRecords {
  const { times } = parts;
  const statements = prepareStatements(db);
  const rows = companyRowsIn(db, parts);

  function* companiesOf({ id }: RecordedRun): Generator<Company> {
    let after = 0;
    for (;;) {
      const firsts = rows.firsts(id, after, companiesInBatch);
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
      ...{ companyId: company.companyId, country: company.country, ...people },
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
      const searched = statements.searches.all({
        ...asked(company),
        job: run.job,
        upToRun: run.id,
      });
      if (isInBase && (searched[0]?.runId ?? 0) <= base.id) continue;
      const after = recordOf(run, company, readJson);
      yield { before: recordOf(base, company, readJson), after };
    }
    for (const company of base.hasPeople ? companiesOf(base) : []) {
      if (rows.of(run.id, company).length > 0) continue;
      yield { before: recordOf(base, company, readJson), after: undefined };
    }
  }

  /** Other rows may have found the company, too: finding them takes a look at all rows. */
  const ofRow: PeopleRecords['ofRow'] = (run, readJson, { companyId, country, number, key }) => {
    if (!run.hasPeople) return undefined;
    const { searches } = standingSearches(run, { companyId, country });
    if (searches.length === 0) return undefined;
    const people = peopleOf(run, readJson, { companyId, country }, 0);
    const pages = searches.flatMap(({ id }) => statements.pages.all({ searchId: id }));
    return {
      record: { companyId, country, ...people, rows: [number], rowKeys: [key] },
      answerIds: pages.map(({ answerId }) => answerId),
    };
  };

  /** The searches of a company that stand for it: the last ones, or those before where they did not end. */
  function standingSearches(run: RecordedRun, { companyId, country }: Company) {
    const company = { companyId, country, job: run.job };
    const last = statements.searches.all({ ...company, upToRun: run.id });
    const ended = lastEnded(company, last);
    const isStale = ended !== last && ended.length > 0 && isYoung(run, ended);
    return { isStale, last, searches: isStale ? ended : last };
  }

  function peopleOf(run: RecordedRun, readJson: ReadJson, company: Company, shownSince: number) {
    const { isStale, last, searches } = standingSearches(run, company);
    return {
      isStale,
      // The search that failed tells since when the people before it are shown.
      ...changesOf(run, last, shownSince),
      searches: searches.map((search) =>
        asSearch(search, statements.pages.all({ searchId: search.id }), readJson),
      ),
    };
  }

  /** Goes back from searches to the last ones that have all ended; a service may be down for several nights. */
  function lastEnded(company: Company & { readonly job: string }, last: StoredSearch[]) {
    let searches = last;
    while (searches.some(({ state }) => state !== 'ended')) {
      const [{ runId } = { runId: 0 }] = searches;
      searches = statements.searches.all({ ...company, upToRun: runId - 1 });
    }
    return searches;
  }

  function isYoung({ staleSince = 0 }: RecordedRun, searches: readonly StoredSearch[]): boolean {
    const pages = searches.flatMap(({ id }) => statements.pages.all({ searchId: id }));
    return pages.every(({ fetched_at }) => fetched_at >= staleSince);
  }

  function changesOf(run: RecordedRun, [first]: readonly StoredSearch[], shownSince: number) {
    const changedRun = first ? Math.max(first.runId, shownSince) : null;
    const stored = Object.entries(JSON.parse(first?.changedRuns ?? '{}') as Record<string, number>);
    const byPerson = Object.fromEntries(
      stored.map(([person, runId]) => [person, Math.max(runId, shownSince)]),
    );
    const changedAtByPerson: Record<string, string> = {};
    for (const [person, runId] of Object.entries(byPerson)) {
      const time = times.of(run, runId);
      if (time !== null) changedAtByPerson[person] = time;
    }
    return {
      changedRun,
      changedRunByPerson: byPerson,
      changedAt: times.of(run, changedRun),
      changedAtByPerson,
    };
  }
  return { of, ofRow, changed };
}

interface StoredSearch {
  id: number;
  runId: number;
  seniority: string;
  department: string;
  position: string;
  state: 'open' | 'ended' | 'failed';
  isComplete: 0 | 1 | null;
  changedRuns: string | null;
}

interface PageRow extends BodyPlace {
  answerId: number;
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
    isComplete: search.isComplete === 1,
    pages: pages.map((page) => ({
      fetchedAt: new Date(page.fetched_at).toISOString(),
      people: readPeoplePage(readJson(page))?.people ?? [],
    })),
  };
}

function asked({ companyId, country }: Company): Company {
  return { companyId, country };
}

function prepareStatements(db: Database) {
  type OfCompany = { companyId: string; country: Country; job: string; upToRun: number };
  return {
    // The plus keeps SQLite from going through all searches of a run in the order of their ids.
    searches: db.prepare<OfCompany, StoredSearch>(`
      select id, run_id as runId, seniority, department, position, state,
        is_complete as isComplete, changed_runs as changedRuns
      from search
      where company_id = :companyId and country = :country and run_id = (
        select max(l.run_id) from search l join run u on u.id = l.run_id and u.job = :job
        where l.company_id = :companyId and l.country = :country and l.run_id <= :upToRun)
      order by +id`),
    pages: db.prepare<{ searchId: number }, PageRow>(`
      select t.answer_id as answerId, a.fetched_at, ${bodyColumns}
      from completed_call t join answer a on a.id = t.answer_id
      where t.search_id = :searchId and a.outcome = 'hit' order by t.page`),
  };
}
