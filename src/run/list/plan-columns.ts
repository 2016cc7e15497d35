import { existsSync } from 'node:fs';
import { renamedInputs } from '../../core/columns/table-columns.ts';
import { kindName } from '../../core/contract/identifier-kinds.ts';
import { DossierError } from '../../core/errors.ts';
import type { CellUse, NameColumns, RowPlan } from '../../core/identify/identify-row.ts';
import { counted } from '../../core/values/format.ts';
import { nearestWord } from '../../core/values/nearest-word.ts';
import {
  detectColumns,
  detectNameColumn,
  detectPlaces,
  filledCells,
  mayIdentify,
  tallyColumn,
} from '../../job/from-list/detect-columns.ts';
import { columnFlag, type ResolvedJob } from '../../job/resolved-job.ts';
import { type InputRow, indexOfColumn } from '../../lists/input-row.ts';
import { shellWord } from '../../platform/files/local-path.ts';

type Columns = readonly string[];

export type ColumnJob = Pick<ResolvedJob, 'identify' | 'country'> &
  Partial<Pick<ResolvedJob, 'positionOfColumn' | 'register' | 'isRegisterNamed'>> & {
    readonly input: Pick<ResolvedJob['input'], 'key'>;
  };

/** `isPartial`: only the first rows of a JSON Lines file are known, and later rows may have a column that the job names. */
export function planColumns(
  job: ColumnJob,
  columns: Columns,
  sample: readonly InputRow['cells'][],
  isPartial = false,
): RowPlan {
  const { column, default: byDefault } = job.country;
  const indexOf = isPartial ? columnIndexOf : requireColumn;
  const index = column === undefined ? -1 : indexOf(job, column, columns);
  const country = index === -1 ? { default: byDefault } : { index, default: byDefault };
  const name = planNames(job, columns, indexOf);
  if (job.identify) {
    const identify = job.identify.flatMap(({ column: written, as }) => {
      const found = as === 'name' ? -1 : indexOf(job, written, columns);
      return found === -1 || as === 'name' ? [] : { index: found, as };
    });
    return { identify, country, name };
  }
  const detected = detectColumns(columns, sample);
  const isFound = column === undefined && detected.country;
  return {
    identify: detected.identify.map(({ index: found, as }) => ({ index: found, as })),
    country: isFound ? { index: isFound.index, default: byDefault } : country,
    name,
  };
}

function planNames(
  job: ColumnJob,
  columns: Columns,
  indexOf: typeof requireColumn,
): NameColumns | undefined {
  const { identify, register, isRegisterNamed } = job;
  const written = identify?.find(({ as }) => as === 'name');
  // A missing register is an error only if something names it.
  const hasRegister = isRegisterNamed || (register !== undefined && existsSync(register));
  const detected = identify || !hasRegister ? -1 : detectNameColumn(columns);
  const index = written ? indexOf(job, written.column, columns) : detected;
  if (index === -1) return undefined;
  const places = detectPlaces(columns);
  const placeOf = (key: 'state' | 'postcode') => {
    const name = written?.[key];
    return name === undefined ? places[key] : indexOf(job, name, columns);
  };
  return { index, state: placeOf('state'), postcode: placeOf('postcode') };
}

export function requireColumn(job: ColumnJob, column: string, columns: Columns) {
  const index = columnIndexOf(job, column, columns);
  if (index !== -1) return index;
  const nearest = nearestWord(column, columns);
  const hint = nearest ? `; did you mean ${JSON.stringify(nearest)}?` : '.';
  const place = job.positionOfColumn?.(column);
  throw new DossierError(
    place === columnFlag ? 'USAGE' : 'COLUMN_MISSING',
    `${place ? `${place}: ` : ''}the list has no column ${JSON.stringify(column)}${hint} Its columns are: ${columns.join(', ')}`,
  );
}

/** For a list in which no column identifies companies. */
export function namesHint(register: string): string {
  if (existsSync(register)) return '';
  return ' For company names, load a register first: `dossier register load FILE…` (docs/names.md).';
}

/** `--column` ignores case; a job file must match exactly. */
export function columnIndexOf(job: ColumnJob, column: string, columns: Columns) {
  const isFlag = job.positionOfColumn?.(column) === columnFlag;
  return isFlag ? indexOfColumn(columns, column) : columns.indexOf(column);
}

/**
 * A column that the job does not name, although it identifies far more rows. Each row costs a call.
 * A wrong --column is refused, because its result would replace a good one.
 */
export function betterColumnNotes(
  { identify = [], positionOfColumn, register = '' }: ColumnJob,
  columns: Columns,
  sample: readonly InputRow['cells'][],
  plan: RowPlan,
): string[] {
  const goodIn = (index: number, as: CellUse) => tallyColumn(sample, index, as).good;
  if (identify.length === 0) {
    const used = [...plan.identify, plan.country, plan.name].map((one) => one?.index);
    const unused = columns.filter(
      (column, index) =>
        !used.includes(index) &&
        goodIn(index, 'auto') > sample.length / 2 &&
        mayIdentify(column, filledCells(sample, index)),
    );
    const flags = [...plan.identify.map(({ index }) => columns[index] ?? ''), ...unused].map(
      (column) => `--column ${shellWord(column)}`,
    );
    if (unused.length === 0 || plan.identify.length === 0) return [];
    const shown = unused.map((column) => JSON.stringify(column)).join(', ');
    return [
      `Not used, although most rows have an identifier there: ${shown}. To use it: ${flags.join(' ')}.`,
    ];
  }
  if (identify.every(({ as }) => as === 'name')) return [];
  const named = plan.identify.map(({ index, as }) => ({ index, good: goodIn(index, as) }));
  const [most] = named.toSorted((one, other) => other.good - one.good);
  const detected = detectColumns(columns, sample).identify;
  const better = detected
    .filter(({ index }) => !named.some((one) => one.index === index))
    .map((found) => ({ ...found, good: goodIn(found.index, found.as) }))
    .find(({ good }) => good > 2 * (most?.good ?? 0) && good > sample.length / 2);
  if (!most) return [];
  const areNone = most.good === 0 && sample.length > 0 && !plan.name;
  const areNames = most.good === 0 && most.index === detectNameColumn(columns);
  if (!better && !areNames && !areNone) return [];
  const wrong = columns[most.index] ?? '';
  const other = areNone && detected.find(({ index }) => index === most.index);
  const hints = [
    `${JSON.stringify(wrong)} identifies ${most.good} of the first ${counted(sample.length, 'row')}${areNames ? ': it seems to have company names' : ''}.`,
    better &&
      `${JSON.stringify(better.column)} (${kindName(better.as)}) would identify ${better.good}: --column ${shellWord(better.column)}.`,
    other &&
      `Read as ${kindName(other.as)}, it would identify ${goodIn(other.index, other.as)}: --as ${other.as}.`,
    areNames &&
      (namesHint(register).trim() ||
        `To find the ABNs of its names in the register, add --as name.`),
  ];
  const text = hints.filter(Boolean).join(' ');
  if (most.good > 0 || positionOfColumn?.(wrong) !== columnFlag) return [text];
  throw new DossierError('COLUMNS_UNCLEAR', text);
}

const namesShown = 3;
/** Longer headers are cut: in a survey export, each header may be a whole survey question. */
const headerShown = 40;

/** Names the detected columns, because a wrong one costs a call per row. */
export function columnNotes(
  job: Pick<ColumnJob, 'identify'>,
  columns: Columns,
  { identify, country, name }: RowPlan,
): string[] {
  const notes: string[] = [];
  if (!job.identify && name) {
    const when = identify.length > 0 ? ' if nothing else finds the company' : '';
    notes.push(
      `Names in ${JSON.stringify(columns[name.index])} are looked up in the register${when}. Choose another with --column and --as name.`,
    );
  }
  if (!job.identify && identify.length > 0) {
    const nameOf = (index: number) => JSON.stringify(columns[index] ?? `column_${index + 1}`);
    const columnNames = identify
      .map(({ index, as }) => `${nameOf(index)} (${kindName(as)})`)
      .join(', then ');
    const where =
      country.index === undefined ? '' : ` Their country is in ${nameOf(country.index)}.`;
    notes.push(
      `Companies are identified by ${columnNames}.${where} Choose other columns with --column.`,
    );
  }
  const renamed = renamedInputs(columns).map(
    ({ header, name }) => `${JSON.stringify(header.slice(0, headerShown))} is ${name}`,
  );
  if (renamed.length > 0) {
    const shown = renamed.slice(0, namesShown);
    if (renamed.length > namesShown) shown.push(`${renamed.length - namesShown} more`);
    notes.push(`Some columns have different names in the results: ${shown.join(', ')}.`);
  }
  return notes;
}
