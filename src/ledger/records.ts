import type { Database } from 'better-sqlite3';
import { type CallRequest, parseCall } from '../contract/call.ts';
import type { Country } from '../contract/countries.ts';
import { readPeoplePage } from '../contract/people-answer.ts';
import type { Match, RowStatus } from '../rules/outcomes.ts';
import { readAnswerJson } from '../runtime/json/answer-json.ts';
import { type Bodies, type BodyPlace, bodyColumns } from './calls/bodies.ts';
import { changedPeople, changedRows } from './changed-records.ts';
import type {
  ChangedPeople,
  ChangedRow,
  LargeRow,
  PeopleRecord,
  RowRange,
  RowRecord,
  RunRecords,
  SearchRecord,
} from './run-records.ts';

type StoredRun = { id: number; columns: readonly string[]; hasPeople: boolean };

export interface Records {
  /** All that an export reads of a run. `onDamage` hears of each answer whose bytes have changed. */
  of(run: StoredRun, onDamage: (answerId: number) => void): RunRecords;
  /** Rows that may differ between two runs, in the order of the later, removed ones last. */
  changed(base: StoredRun, run: StoredRun): Iterable<ChangedRow>;
  /** Companies whose people may differ, in the same order. */
  changedPeople(base: StoredRun, run: StoredRun): Iterable<ChangedPeople>;
  /** The rows of a run with large answers, in their order. */
  largeRows(runId: number): LargeRow[];
}

/**
 * Rows are read a batch at a time: a statement that stays open would hold back the write-ahead log
 * and block writes on its own connection.
 */
const rowsInBatch = 500;

const everyRow: RowRange = { after: 0, upTo: Number.MAX_SAFE_INTEGER };

export function recordsIn(db: Database, bodies: Bodies): Records {
  const statements = prepareStatements(db);

  function* rowsOf(
    runId: number,
    readJson: ReadJson,
    { after: start, upTo }: RowRange = everyRow,
  ): Generator<RowRecord> {
    let after = start;
    for (;;) {
      const rows = statements.rows.all({ runId, after, upTo, limit: rowsInBatch });
      for (const row of rows) yield asRecord(row, readJson);
      const last = rows.at(-1);
      if (!last || rows.length < rowsInBatch) return;
      after = last.number;
    }
  }

  function* peopleOf(runId: number, readJson: ReadJson): Generator<PeopleRecord> {
    let after = 0;
    for (;;) {
      const firsts = statements.firstRows.all({ runId, after, limit: rowsInBatch });
      for (const { number, companyId, country } of firsts) {
        after = number;
        const company = { runId, companyId, country };
        const rows = statements.rowsOfCompany.all(company);
        const searches = statements.searches
          .all(company)
          .map((search) =>
            asSearch(search, statements.pages.all({ searchId: search.id }), readJson),
          );
        const numbers = rows.map((row) => row.number);
        const keys = { rows: numbers, rowKeys: rows.map(({ key }) => key) };
        yield { companyId, country, ...keys, isStale: false, changedAt: null, searches };
      }
      if (firsts.length < rowsInBatch) return;
    }
  }

  const records: Records = {
    of(run, onDamage) {
      // An export reads each page once, so a cache as large as for writing only takes memory.
      db.pragma('cache_size = -1000');
      db.pragma('shrink_memory');
      const readJson = jsonReader(bodies, onDamage);
      return {
        inputColumns: run.columns,
        hasPeople: run.hasPeople,
        rows: (range) => rowsOf(run.id, readJson, range),
        people: () => peopleOf(run.id, readJson),
      };
    },
    changed: (base, run) =>
      changedRows(
        records.of(base, () => {}),
        records.of(run, () => {}),
      ),
    changedPeople: (base, run) =>
      changedPeople(
        records.of(base, () => {}),
        records.of(run, () => {}),
      ),
    // Most ledgers have no large answer, and then the rows are not looked through for them.
    largeRows: (runId) => (statements.anyLarge.get() ? statements.largeRows.all({ runId }) : []),
  };
  return records;
}

interface ExportedRow extends BodyPlace {
  number: number;
  key: string;
  status: RowStatus | null;
  reason: string | null;
  message: string | null;
  match: Match | null;
  country: Country | null;
  people_complete: 0 | 1 | null;
  cells: string;
  request: string | null;
  answer_id: number | null;
  fetched_at: number | null;
}

function asRecord(row: ExportedRow, readJson: ReadJson): RowRecord {
  const asked = row.request === null ? undefined : identifierOf(parseCall(row.request));
  const company = row.status === 'matched' ? readJson(row) : undefined;
  const facts = {
    number: row.number,
    key: row.key,
    isStale: false,
    changedAt: null,
    matchedBy: row.status === 'matched' ? (asked?.kind ?? null) : null,
    askedBy: asked?.kind ?? null,
    identifier: asked?.value ?? null,
    country: row.country,
    peopleComplete: row.people_complete === null ? null : row.people_complete === 1,
    cells: JSON.parse(row.cells) as (string | null)[],
  };
  if (row.status === null) {
    const message = 'Not asked for yet; run the job again to go on.';
    return { ...facts, ...unmatched, status: 'open', reason: null, message };
  }
  if (row.status === 'matched' && company === undefined) {
    const message = 'The stored answer is damaged; run the job again to fetch it anew.';
    return { ...facts, ...unmatched, status: 'failed', reason: 'damaged_answer', message };
  }
  return {
    ...facts,
    status: row.status,
    reason: row.reason,
    message: row.message,
    match: row.match,
    fetchedAt: fetchedAtOf(row),
    company,
  };
}

/** A call that failed has the time of its last attempt, but fetched nothing. */
function fetchedAtOf({ status, fetched_at }: ExportedRow): string | null {
  if (fetched_at === null || status === 'failed') return null;
  return new Date(fetched_at).toISOString();
}

const unmatched = {
  ...{ matchedBy: null, match: null, fetchedAt: null, peopleComplete: null, company: undefined },
} as const;

function identifierOf(call: CallRequest) {
  return call.operation === 'company' ? call.identifier : undefined;
}

interface PageRow extends BodyPlace {
  answer_id: number;
  fetched_at: number;
}

function asSearch(
  search: { seniority: string; department: string; position: string; is_complete: 0 | 1 | null },
  pages: readonly PageRow[],
  readJson: ReadJson,
): SearchRecord {
  return {
    seniority: search.seniority || null,
    department: search.department || null,
    position: search.position || null,
    isComplete: search.is_complete === 1,
    pages: pages.map((page) => ({
      fetchedAt: new Date(page.fetched_at).toISOString(),
      people: readPeoplePage(readJson(page))?.people ?? [],
    })),
  };
}

/** What an answer says; undefined where it is damaged or there is none. */
type ReadJson = (stored: BodyPlace & { answer_id: number | null }) => unknown;

function jsonReader(bodies: Bodies, onDamage: (answerId: number) => void): ReadJson {
  return (stored) => {
    const body = bodies.read(stored);
    if (body) return readAnswerJson(body);
    if (stored.answer_id !== null) onDamage(stored.answer_id);
    return undefined;
  };
}

/** As the index of large answers has it. */
const isLarge = 'body_length > 65536';

function prepareStatements(db: Database) {
  type Company = { runId: number; companyId: string; country: Country };
  return {
    rows: db.prepare<{ runId: number; limit: number } & RowRange, ExportedRow>(`
      select r.number, r.key, o.status, o.reason, o.message, o.match, r.country, r.cells, c.request,
        o.answer_id, a.fetched_at, ${bodyColumns},
        iif(o.company_id is null, null, (
          select min(coalesce(s.is_complete, 0)) from search s
          where s.run_id = o.run_id and s.company_id = o.company_id and s.country = o.country
        )) as people_complete
      from row r
      left join row_outcome o on o.run_id = r.run_id and o.number = r.number
      left join call c on c.id = r.call_id
      left join answer a on a.id = o.answer_id
      where r.run_id = :runId and r.number > :after and r.number <= :upTo
      order by r.number limit :limit`),
    anyLarge: db.prepare(`select 1 from answer where ${isLarge} limit 1`),
    largeRows: db.prepare<{ runId: number }, LargeRow>(`
      select o.number, a.body_length as bytes
      from row_outcome o cross join answer a on a.id = o.answer_id
      where o.run_id = :runId and o.answer_id in (select id from answer where ${isLarge})
      order by o.number`),
    // A company is listed once, with its first row.
    firstRows: db.prepare<
      { runId: number; after: number; limit: number },
      { number: number; companyId: string; country: Country }
    >(`
      select number, company_id as companyId, country from row_outcome r
      where run_id = :runId and number > :after and company_id is not null
        and not exists (
          select 1 from row_outcome e
          where e.run_id = r.run_id and e.company_id = r.company_id and e.country = r.country
            and e.number < r.number)
      order by number limit :limit`),
    rowsOfCompany: db.prepare<Company, { number: number; key: string }>(`
      select r.number, r.key
      from row_outcome o cross join row r on r.run_id = o.run_id and r.number = o.number
      where o.run_id = :runId and o.company_id = :companyId and o.country = :country
      order by o.number`),
    searches: db.prepare<
      Company,
      {
        id: number;
        seniority: string;
        department: string;
        position: string;
        is_complete: 0 | 1 | null;
      }
    >(`
      select id, seniority, department, position, is_complete from search
      where run_id = :runId and company_id = :companyId and country = :country order by id`),
    pages: db.prepare<{ searchId: number }, PageRow>(`
      select t.answer_id, a.fetched_at, ${bodyColumns}
      from completed_call t join answer a on a.id = t.answer_id
      where t.search_id = :searchId and a.outcome = 'hit' order by t.page`),
  };
}
