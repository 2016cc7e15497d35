import { type FlatRow, flattenRow, mergePeople } from '../../../core/columns/tables.ts';
import { DossierError } from '../../../core/errors.ts';
import type { TrailedCandidate } from '../../../engine/ledger/records.ts';
import { type Run, runName } from '../../../engine/ledger/runs/runs.ts';
import type { LookedUpIdentifier, WholeCompany, WholeRow } from '../api/whole-row.ts';
import { fold } from './fold.ts';
import { cutCell, cutText, isCut, mostInRow, rowFacts } from './read-page.ts';
import { changeBase, type RunTable } from './run-table.ts';
import { isCompanyHeader, nameColumn, personColumns, tableColumns } from './table-columns.ts';

const peopleShown = 100;

/** All that the ledger knows of one row of a run. */
export function readWholeRow(
  { ledger, run, terms: { names, staleMs } }: RunTable,
  number: number,
): WholeRow {
  const [side] = ledger.records.at(run, [number]);
  const trail = ledger.records.trail(run, number);
  if (!side || !trail) {
    throw new DossierError('RUN_MISSING', `${runName(run)} has no row ${number}`);
  }
  const { record } = side;
  const flat = flattenRow(record, run.columns.length);
  const hasCompany = record.company !== undefined;
  const company = hasCompany ? wholeCompany(run, flat) : null;
  const people =
    hasCompany && trail.companyId !== null && trail.country !== null
      ? ledger.records.peopleOfRow(
          { ...run, staleSince: run.lastStartedAt - staleMs },
          { companyId: trail.companyId, country: trail.country, number, key: record.key },
        )
      : undefined;
  return {
    run: runName(run),
    row: rowFacts(side, changeBase(ledger, run)?.id),
    list: run.columns.map((header, at) => {
      const cell = record.cells[at] ?? null;
      return { header, cell: cell && cutText(cell, mostInRow), isCut: isCut(cell, mostInRow) };
    }),
    country: record.country,
    identifiers: trail.candidates.map(asLookedUp),
    fetchedAt: record.fetchedAt,
    changedAt: record.changedAt,
    company,
    otherName: company?.name ? otherName(run.columns, record.cells, company.name) : null,
    people: people
      ? {
          isComplete: record.peopleComplete === true,
          isStale: people.isStale,
          ...foundPeople(mergePeople(people, names)),
        }
      : null,
  };
}

function asLookedUp({ kind, value, outcome, answer }: TrailedCandidate): LookedUpIdentifier {
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

/** The list's own name of a company, where it has no word in common with the found one. */
function otherName(
  headers: readonly string[],
  cells: readonly (string | null)[],
  found: string,
): string | null {
  const at = nameColumn(headers);
  const own = isCompanyHeader(headers[at] ?? '') ? (cells[at] ?? '').trim() : '';
  const words = wordsOf(found);
  const isOther = own !== '' && !wordsOf(own).some((word) => words.includes(word));
  return isOther && words.length > 0 ? own : null;
}

/** The words that tell a company from others. */
function wordsOf(name: string): string[] {
  const words = fold(name).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !commonWords.includes(word));
}

const commonWords =
  'a and the of pty ltd limited inc llc co company corp group gmbh holdings'.split(' ');

function wholeCompany(run: Run, { cells }: FlatRow): WholeCompany {
  const columns = tableColumns(run).filter(({ name }) => name.startsWith('company_'));
  const filled = columns.flatMap(({ position, ...column }) => {
    const value = cells[position] ?? null;
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
    return isEmpty ? [] : [{ column, value: cutCell(value, mostInRow) }];
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

function foundPeople(people: ReturnType<typeof mergePeople>) {
  return { total: people.length, columns: personColumns, people: people.slice(0, peopleShown) };
}
