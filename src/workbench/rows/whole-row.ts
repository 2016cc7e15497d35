import type { ReferenceNames } from '../../contract/reference.ts';
import { DossierError } from '../../errors.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { TrailedCandidate } from '../../ledger/records/row-trail.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';
import { type FlatRow, flattenRow } from '../../records/flatten-row.ts';
import { mergePeople } from '../../records/merge-people.ts';
import { peopleColumns } from '../../records/table-columns.ts';
import type { AskedIdentifier, FoundPeople, WholeCompany, WholeRow } from '../api/whole-row.ts';
import { changeBase } from './index/run-index.ts';
import { rowFacts } from './read-page.ts';
import { labelOf, tableColumns } from './table-columns.ts';

/** What a row is read with besides its number. */
export interface RowTerms {
  /** What the job calls seniorities and departments. */
  readonly names: ReferenceNames;
  /** How old people may be who stand in for those of a search that did not end. */
  readonly staleMs: number;
}

const peopleShown = 100;

/** All that the ledger knows of one row of a run. */
export function readWholeRow(
  ledger: Ledger,
  run: Run,
  number: number,
  { names, staleMs }: RowTerms,
): WholeRow {
  const [side] = ledger.records.at(run, [number], () => {});
  const trail = ledger.records.trail(run, number);
  if (!side || !trail) {
    throw new DossierError('RUN_MISSING', `${runName(run)} has no row ${number}`);
  }
  const { record } = side;
  const flat = flattenRow(record, run.columns.length);
  const hasCompany = record.company !== undefined;
  const people =
    hasCompany && trail.companyId !== null && trail.country !== null
      ? ledger.records.peopleOfRow(
          { ...run, staleSince: run.lastStartedAt - staleMs },
          { companyId: trail.companyId, country: trail.country, number, key: record.key },
          () => {},
        )
      : undefined;
  return {
    run: runName(run),
    row: rowFacts(side, changeBase(ledger, run)?.id),
    list: run.columns.map((header, at) => ({
      header,
      cell: record.cells[at] ?? null,
      isCut: false,
    })),
    country: record.country,
    asked: trail.candidates.map(asAsked),
    fetchedAt: record.fetchedAt,
    changedAt: record.changedAt,
    company: hasCompany ? wholeCompany(run, flat) : null,
    people: people
      ? foundPeople(mergePeople(people, names), {
          isComplete: record.peopleComplete === true,
          isStale: people.isStale,
        })
      : null,
  };
}

function asAsked({ kind, value, outcome, answer }: TrailedCandidate): AskedIdentifier {
  return {
    ...{ kind, value, outcome },
    source: answer?.source ?? null,
    message: answer?.message ?? null,
    httpStatus: answer?.status ?? null,
    attempts: answer?.attempts ?? null,
    durationMs: answer?.durationMs ?? null,
    answeredAt: answer ? new Date(answer.fetchedAt).toISOString() : null,
  };
}

function wholeCompany(run: Run, { cells }: FlatRow): WholeCompany {
  const columns = tableColumns(run.columns).filter(({ name }) => name.startsWith('company_'));
  const filled = columns.flatMap(({ position, ...column }) => {
    const value = cells[position] ?? null;
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
    return isEmpty ? [] : [{ column, value }];
  });
  const textOf = (name: string) => {
    const value = filled.find(({ column }) => column.name === name)?.value;
    return typeof value === 'string' ? value : null;
  };
  const groups = Map.groupBy(filled, ({ column }) => column.group);
  return {
    id: textOf('company_id'),
    name: textOf('company_name'),
    groups: [...groups].map(([name, fields]) => ({ name, fields })),
  };
}

function foundPeople(
  people: ReturnType<typeof mergePeople>,
  facts: Pick<FoundPeople, 'isComplete' | 'isStale'>,
): FoundPeople {
  return {
    ...facts,
    total: people.length,
    columns: peopleColumns.map(({ name, type }) => ({ name, label: labelOf(name), type })),
    people: people.slice(0, peopleShown),
  };
}
