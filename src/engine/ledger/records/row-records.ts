import type {
  RecordedRow,
  RecordedRun,
  Records,
  RowRecord,
} from '../../../core/columns/run-records.ts';
import type { Country } from '../../../core/contract/countries.ts';
import { DossierError } from '../../../core/errors.ts';
import { meantCell } from '../../../core/identify/suggest-value.ts';
import { foldName } from '../../../core/names/fold-name.ts';
import type { RowRegister } from '../../../core/names/row-register.ts';
import {
  isFoundByName,
  laterCandidates,
  type RowCandidate,
} from '../../../core/rules/next-candidate.ts';
import { suppressedOutcome, unmatched } from '../../../core/rules/row-outcome.ts';
import type { Exclusions } from '../../../core/rules/suppression.ts';
import { versionOfFlat } from '../../providers/read-body.ts';
import { type Bodies, bodyColumns, type StoredBody } from '../calls/bodies.ts';
import type { Services } from '../calls/services.ts';
import type { Lists, NumberedRow } from '../rows/lists.ts';
import {
  isIntactOutcome,
  lastOutcome,
  outcomeColumns,
  type StoredOutcome,
  serviceOfCall,
} from '../rows/outcomes.ts';
import { type RowTexts, rowChecksum } from '../rows/rows.ts';
import { lastSearched } from '../runs/searches.ts';
import type { Statements } from '../statements.ts';
import { changedRowsIn } from './changed-rows.ts';
import { differenceIn } from './difference.ts';
import { type Excluded, excludedIn, type FoundCompany } from './excluded.ts';
import { peopleRecordsIn } from './people-records.ts';
import { type RecordParts, recordPartsIn } from './record-parts.ts';

export function recordsIn(
  statements: Statements,
  bodies: Bodies,
  lists: Lists,
  services: Services,
) {
  const { db } = statements;
  const parts = recordPartsIn(statements, bodies, lists, services);
  const excludedFor = excludedIn(statements, bodies, services);
  const rowsFor = rowRecordsIn(statements, parts);
  const changedRows = changedRowsIn(statements, lists);
  const difference = differenceIn(statements, lists);
  const peopleFor = peopleRecordsIn(statements, parts);
  /** Cheap, because readers with different exclusions use the same statements. */
  return (exclusions: Exclusions | undefined, now = Date.now()): Records => {
    const excluded = excludedFor(exclusions, now);
    const rows = rowsFor(excluded);
    const people = peopleFor(excluded);
    return {
      ofRun(recorded, onDamage) {
        // An export reads each page once, so a large cache only wastes memory.
        db.pragma('cache_size = -1000');
        db.pragma('shrink_memory');
        parts.refresh();
        const run = { ...recorded, onDamage };
        return {
          inputColumns: run.columns,
          hasPeople: run.hasPeople,
          hasServices: run.services.length > 1,
          hasRegister: run.registerSources !== null,
          rows: () => rows.ofRun(run),
          people: () => people.ofRun(run),
        };
      },
      refresh: parts.refresh,
      at: (run, numbers) => [...rows.read(run, lists.rowsAt(run.listId, numbers))],
      // What is excluded changes with time and with lists that no outcome knows.
      difference: (earlier, run) =>
        excluded.isEmpty && !run.hasPeople ? difference(rows, earlier, run) : undefined,
      peopleOfRow: people.ofRow,
      changed: (base, run, throughFailures = false) => ({
        rows: () => changedRows(rows, base, run, throughFailures),
        people: () => people.changed(base, run, throughFailures),
      }),
    };
  };
}

export interface RowRecords {
  ofRun(run: RecordedRun): Generator<RowRecord>;
  /** A generator, because the answers of a batch may not fit in memory. */
  read(run: RecordedRun, rows: readonly NumberedRow[]): Generator<RecordedRow>;
}

function rowRecordsIn({ all }: Statements, parts: RecordParts) {
  const { lists, timeOf, openRows } = parts;
  const select = all<StoredRow>(`
    select r.list_index, r.key, r.cells, r.country, r.candidates, r.register, r.checksum as row_checksum,
      ${outcomeColumns}, a.call_id as answer_call,
      ${serviceOfCall} as callService, a.company_id, a.fetched_at, ${bodyColumns},
      iif(:hasPeople and o.status = 'matched', (
        select min(coalesce(s.is_complete, 0)) from search s
        where s.company_id = a.company_id and s.country = r.country
          and s.service_id is ${serviceOfCall}
          and s.run_id = ${lastSearched('a.company_id', 'r.country', serviceOfCall)}
      ), null) as people_complete
    from (
      select i.key as list_index, r.*
      from json_each(:rowIds) i cross join row r on r.id = i.value
    ) r
    left join outcome o on ${lastOutcome}
    left join answer a on a.id = o.answer_id`);

  return ({ whyExcluded }: Excluded): RowRecords => {
    const asRecord = settledRecordsIn(parts, whyExcluded);

    function* read(run: RecordedRun, rows: readonly NumberedRow[]): Generator<RecordedRow> {
      const { id: runId, job } = run;
      const open = openRows(run);
      const rowIds = JSON.stringify(rows.map(({ rowId }) => rowId));
      const storedRows = select({ runId, job, hasPeople: Number(run.hasPeople), rowIds });
      if (storedRows.length < rows.length) {
        throw new DossierError('LEDGER_DAMAGED', 'rows of a list are missing from the ledger');
      }
      storedRows.sort((one, other) => one.list_index - other.list_index);
      for (const row of storedRows) {
        if (rowChecksum(row) !== row.row_checksum) {
          const message = `row ${row.rowId} of the ledger was changed on the disk`;
          throw new DossierError('LEDGER_DAMAGED', message);
        }
        const number = rows[row.list_index]?.number ?? 0;
        const { rowId, runId: outcomeRun, company_id: companyId } = row;
        // Null if the row has no outcome yet.
        const isSettled = outcomeRun && (!open.ids.has(rowId) || outcomeRun === runId);
        const changedRun = row.changedRun ?? outcomeRun;
        if (!isSettled) {
          const candidateIndex = open.candidateIndexes.get(rowId) ?? 0;
          const record = { ...factsOf(run, row, number, candidateIndex), ...unsettled };
          yield { rowId, record, changedRun: null };
        } else if (isIntactOutcome(row)) {
          const record = asRecord(run, row, number, timeOf(run, changedRun));
          const isExcluded =
            row.status === 'matched' && !['matched', 'failed'].includes(record.status);
          const serviceId = row.callService ?? 0;
          const found = isExcluded || companyId === null ? undefined : { companyId, serviceId };
          yield { rowId, record, changedRun, isExcluded, found };
        } else {
          const record = { ...factsOf(run, row, number, null), ...damagedOutcome };
          yield { rowId, record, changedRun: null };
        }
      }
    }
    return {
      *ofRun(run) {
        for (const batch of lists.batches(run.listId)) {
          for (const { record } of read(run, batch)) yield record;
        }
      },
      read,
    };
  };
}

/** Records of rows that have an outcome. */
function settledRecordsIn(parts: RecordParts, whyExcluded: Excluded['whyExcluded']) {
  const readCompany = companiesIn(parts);
  const { servicesOf, missedBy } = servicesOfRowsIn(parts);
  return (
    run: RecordedRun,
    row: StoredRow,
    number: number,
    changedAt: string | null,
  ): RowRecord => {
    const { status, match, fetched_at, people_complete } = row;
    const isMatched = status === 'matched';
    // A joined answer was fetched for another identifier of the company, so its call differs.
    const mayShow =
      row.company_id !== null && (row.answer_call === row.callId || match === 'joined');
    const found = isMatched && mayShow ? readCompany(run, row) : undefined;
    const why = found && whyExcluded(row as StoredRow & FoundCompany, found.identifiers);
    if (why || status === 'suppressed') {
      const facts = factsOf(run, { ...row, register: null }, number, null);
      return { ...facts, ...unmatched, ...(why ?? suppressedOutcome), changedAt };
    }
    const own = factsOf(run, row, number, row.candidateIndex);
    const missed = missedBy(run, row);
    const facts = missed.length > 0 ? { ...own, missed } : own;
    if (isMatched && !found) return { ...facts, ...damagedAnswer, changedAt };
    // A failed call has the time of its last attempt, but no data.
    const hasAnswer = fetched_at !== null && status !== 'failed';
    const names = registerNames(row);
    const meant = meantCell(row.reason, facts.cells);
    return {
      ...facts,
      matchedBy: isMatched ? (names ? 'name' : facts.identifierKind) : null,
      peopleComplete: people_complete === null ? null : people_complete === 1,
      status,
      ...servicesOf(run, row),
      reason: row.reason,
      message: meant ? `${row.message} Did you mean ${meant.value}?` : row.message,
      ...(meant && { meant: meant.value }),
      match: found && names && !hasName(found.company, names) ? 'unverified' : match,
      fetchedAt: hasAnswer ? new Date(fetched_at).toISOString() : null,
      isStale: row.isStale === 1,
      changedAt,
      company: found?.company,
    };
  };
}

function companiesIn({ services, bodies, readJson }: RecordParts) {
  return (run: RecordedRun, row: StoredRow) => {
    const provider = services.provider(row.serviceId);
    // A row found by name needs the whole answer: its name is compared with those of the register.
    const isWhole = run.hasWholeCompanies || registerNames(row) !== undefined;
    const flat = isWhole ? undefined : bodies.readFlat(row, versionOfFlat(provider));
    if (flat) return { company: flat, identifiers: () => flat.identifiers };
    const answer = readJson(run, row);
    if (answer === undefined) return undefined;
    return { company: provider.record(answer), identifiers: () => provider.identifiers(answer) };
  };
}

/** Which services a row was looked up at, and what they missed. */
function servicesOfRowsIn({ askedBy, nameOf }: RecordParts) {
  const placeOf = (run: RecordedRun, row: StoredRow) => {
    const name = nameOf(row.callService);
    return askedBy(run).findIndex((service) => service.name === name);
  };
  return {
    servicesOf(run: RecordedRun, row: StoredRow) {
      if (row.status === 'matched') return { service: nameOf(row.callService), tried: null };
      if (run.services.length < 2) return undefined;
      const names = askedBy(run).map(({ name }) => name);
      // A name is looked up after all services missed.
      const last = registerNames(row) ? names.length - 1 : placeOf(run, row);
      return { service: null, tried: names.slice(0, last + 1) };
    },
    missedBy(run: RecordedRun, row: StoredRow): RowCandidate[] {
      const { status, country, candidateIndex: last } = row;
      const isMiss = status === 'not_found' || status === 'invalid';
      if (country === null || last === null) return [];
      const service = Math.max(0, placeOf(run, row));
      const isFirst = last === 0 && service === 0;
      if (isFirst && !isMiss) return [];
      const candidates = JSON.parse(row.candidates) as RowCandidate[];
      const tried = laterCandidates(
        { country, candidates },
        askedBy(run).map(({ takes }) => takes),
      );
      const at = tried.findIndex(
        (one) => one.candidateIndex === last && one.serviceIndex === service,
      );
      return tried
        .slice(0, isMiss ? at + 1 : Math.max(0, at))
        .map(({ candidateIndex }) => candidates[candidateIndex] as RowCandidate);
    },
  };
}

interface StoredRow extends StoredBody, RowTexts, StoredOutcome {
  readonly list_index: number;
  readonly country: Country | null;
  readonly row_checksum: number;
  readonly people_complete: 0 | 1 | null;
  readonly answer_call: number | null;
  readonly callService: number | null;
  readonly company_id: string | null;
  readonly fetched_at: number | null;
}

const damaged = { ...unmatched, status: 'failed', reason: 'damaged_answer' } as const;

const damagedAnswer = {
  ...damaged,
  message: 'The stored answer is damaged; run the job again to fetch a new one.',
};

/** The next run does not reuse it. */
const damagedOutcome = {
  ...damaged,
  message: 'The stored data of this row is damaged; run the job again to repair it.',
  changedAt: null,
};

const unsettled = {
  ...unmatched,
  status: 'open',
  reason: null,
  changedAt: null,
  message: 'Not looked up yet. Run the job again to continue.',
} as const;

function factsOf(
  { registerSources }: RecordedRun,
  { key, candidates, country, cells, register }: StoredRow,
  number: number,
  candidateIndex: number | null,
) {
  const parsedCandidates =
    candidateIndex === null ? [] : (JSON.parse(candidates) as RowCandidate[]);
  const [identifierKind = null, identifier = null] = parsedCandidates[candidateIndex ?? 0] ?? [];
  const parsed = JSON.parse(cells) as (string | null)[];
  const facts = { number, key, identifierKind, identifier, country, cells: parsed };
  if (registerSources === null) return facts;
  return { ...facts, register: JSON.parse(register ?? '{}') as RowRegister };
}

/** Folded names, if a name led to the candidate of the row. */
function registerNames({ candidates, candidateIndex }: StoredRow) {
  if (candidateIndex === null || !isFoundByName(candidates)) return undefined;
  return (JSON.parse(candidates) as RowCandidate[])[candidateIndex]?.[2];
}

/** A register may know a number under a name that has moved on. */
function hasName(company: unknown, names: readonly string[]) {
  const { name } = Object(company) as { name?: unknown };
  return typeof name === 'string' && names.includes(foldName(name));
}
