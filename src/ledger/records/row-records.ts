import type { Country } from '../../contract/countries.ts';
import { DossierError } from '../../errors.ts';
import type { RowCandidate } from '../../rules/next-candidate.ts';
import { type BodyPlace, bodyColumns } from '../calls/bodies.ts';
import type { NumberedRow } from '../rows/lists.ts';
import {
  isWholeOutcome,
  lastOutcome,
  outcomeColumns,
  type StoredOutcome,
} from '../rows/outcomes.ts';
import { type RowTexts, rowChecksum } from '../rows/rows.ts';
import type { ChangedSide, RecordedRun, RowRecord } from '../run-records.ts';
import { lastSearched } from '../runs/searches.ts';
import type { Statements } from '../statements.ts';
import type { ReadJson, RecordParts } from './record-parts.ts';

export type RowRecords = ReturnType<typeof rowRecordsIn>;

/**
 * Rows are read a batch at a time: a statement that stays open would hold back the write-ahead log
 * and block writes on its own connection.
 */
const rowsInBatch = 500;

export function rowRecordsIn({ all }: Statements, { lists, timeOf, openRowsOf }: RecordParts) {
  const select = all<[object], StoredRow>(`
    select r.place_in_list, r.key, r.cells, r.country, r.candidates, r.checksum as row_checksum,
      ${outcomeColumns}, a.call_id as answer_call, a.company_id, a.fetched_at, ${bodyColumns},
      iif(:hasPeople and o.status = 'matched', (
        select min(coalesce(s.is_complete, 0)) from search s
        where s.company_id = a.company_id and s.country = r.country
          and s.run_id = ${lastSearched('a.company_id', 'r.country')}
      ), null) as people_complete
    from (
      select i.key as place_in_list, r.*
      from json_each(:rowIds) i cross join row r on r.id = i.value
    ) r
    left join outcome o on ${lastOutcome}
    left join answer a on a.id = o.answer_id`);

  /** Gives each row when it is asked for: the answers of a batch may be too large to be held together. */
  function* sides(
    run: RecordedRun,
    readJson: ReadJson,
    rows: readonly NumberedRow[],
  ): Generator<ChangedSide> {
    const { id: runId, job, hasPeople } = run;
    const open = openRowsOf(run);
    const rowIds = JSON.stringify(rows.map(({ rowId }) => rowId));
    const found = select({ runId, job, hasPeople: Number(hasPeople), rowIds });
    if (found.length < rows.length) {
      throw new DossierError('LEDGER_DAMAGED', 'rows of a list are not in the ledger any more');
    }
    found.sort((one, other) => one.place_in_list - other.place_in_list);
    for (const row of found) {
      refuseChanged(row);
      const number = rows[row.place_in_list]?.number ?? 0;
      const { rowId, runId: since } = row;
      // Null where the row has no outcome up to this run.
      const isKnown = since && (!open.ids.has(rowId) || since === runId);
      if (!isKnown) {
        const place = open.places.get(rowId) ?? 0;
        yield { rowId, record: asOpen(row, number, place), changedRun: null };
      } else if (isWholeOutcome(row)) {
        const changedRun = row.changedRun ?? since;
        const changedAt = timeOf(run, changedRun);
        yield { rowId, record: asRecord(row, number, changedAt, readJson), changedRun };
      } else {
        yield { rowId, record: asDamaged(row, number), changedRun: null };
      }
    }
  }

  function* of(run: RecordedRun, readJson: ReadJson): Generator<RowRecord> {
    for (const { firstNumber, rowIds } of lists.blocks(run.listId)) {
      for (let at = 0; at < rowIds.length; at += rowsInBatch) {
        const batch = rowIds
          .slice(at, at + rowsInBatch)
          .map((rowId, index) => ({ rowId, number: firstNumber + at + index }));
        for (const { record } of sides(run, readJson, batch)) yield record;
      }
    }
  }
  return {
    /** Rows of a run in the order of its list. */
    of,
    /** Rows with these ids, as they are in a run, with the numbers that are given with them. */
    sides: (run: RecordedRun, readJson: ReadJson, rows: readonly NumberedRow[]) => [
      ...sides(run, readJson, rows),
    ],
  };
}

/** A row, and its outcome where it has one. */
interface StoredRow extends BodyPlace, RowTexts, StoredOutcome {
  readonly place_in_list: number;
  readonly country: Country | null;
  readonly row_checksum: number;
  readonly people_complete: 0 | 1 | null;
  readonly answer_call: number | null;
  readonly company_id: string | null;
  readonly fetched_at: number | null;
}

function asRecord(
  row: StoredRow,
  number: number,
  changedAt: string | null,
  readJson: ReadJson,
): RowRecord {
  const isMatched = row.status === 'matched';
  const company = isMatched && isOwnAnswer(row) ? readJson(row) : undefined;
  const facts = factsOf(row, number, row.place);
  if (isMatched && company === undefined) {
    const message = 'The stored answer is damaged; run the job again to fetch it anew.';
    return { ...facts, ...unmatched, ...damaged, message, changedAt };
  }
  return {
    ...facts,
    matchedBy: isMatched ? facts.askedBy : null,
    peopleComplete: row.people_complete === null ? null : row.people_complete === 1,
    status: row.status,
    reason: row.reason,
    message: row.message,
    match: row.match,
    fetchedAt: fetchedAtOf(row),
    isStale: row.isStale === 1,
    changedAt,
    company,
  };
}

const damaged = { status: 'failed', reason: 'damaged_answer' } as const;

/** The outcome of the row is not as it was stored: the next run does not keep it. */
function asDamaged(row: StoredRow, number: number): RowRecord {
  const message = 'What is stored for the row is damaged; run the job again to mend it.';
  const facts = factsOf(row, number, null);
  return { ...facts, ...unmatched, ...damaged, message, changedAt: null };
}

/** A row that is not as it was stored is in no file. */
function refuseChanged(row: StoredRow): void {
  if (rowChecksum(row) === row.row_checksum) return;
  throw new DossierError(
    'LEDGER_DAMAGED',
    `row ${row.rowId} of the ledger has changed on the disk`,
  );
}

/** Whether the answer of a matched row was given to its call, and with a company. */
function isOwnAnswer({ match, callId, answer_call, company_id }: StoredRow): boolean {
  return company_id !== null && (answer_call === callId || match === 'joined');
}

function asOpen(row: StoredRow, number: number, place: number): RowRecord {
  const message = 'Not asked for yet; run the job again to go on.';
  const open = { status: 'open', reason: null, message, changedAt: null } as const;
  return { ...factsOf(row, number, place), ...unmatched, ...open };
}

function factsOf(
  { key, candidates, country, cells }: StoredRow,
  number: number,
  place: number | null,
) {
  const asked = place === null ? undefined : (JSON.parse(candidates) as RowCandidate[])[place];
  const [askedBy = null, identifier = null] = asked ?? [];
  const parsed = JSON.parse(cells) as (string | null)[];
  return { number, key, askedBy, identifier, country, cells: parsed };
}

/** A call that failed has the time of its last attempt, but fetched nothing. */
function fetchedAtOf({ status, fetched_at }: StoredRow): string | null {
  if (fetched_at === null || status === 'failed') return null;
  return new Date(fetched_at).toISOString();
}

const unmatched = {
  matchedBy: null,
  match: null,
  fetchedAt: null,
  peopleComplete: null,
  isStale: false,
  company: undefined,
} as const;
