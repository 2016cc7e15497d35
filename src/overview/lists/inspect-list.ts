import { DossierError } from '../../errors.ts';
import type { Reading } from '../../identify/identifier.ts';
import { findColumn } from '../../input/find-column.ts';
import { type InputOptions, type OpenInput, openInput } from '../../input/open-input.ts';
import { sheetHint } from '../../input/sheet-choice.ts';
import {
  type ColumnFacts,
  describeColumn,
  describeColumns,
  likeliestColumn,
} from '../../job/from-list/describe-columns.ts';
import { type DetectedColumns, detectColumns } from '../../job/from-list/detect-columns.ts';
import { detectKey } from '../../job/from-list/detect-key.ts';

export interface ListFindings {
  readonly name: string;
  readonly format: OpenInput['format'];
  readonly sheet: OpenInput['sheet'];
  readonly hasHeader: boolean;
  /** What was guessed to read the list. */
  readonly notes: readonly string[];
  readonly header: readonly string[];
  readonly rowsSeen: number;
  /** What each column holds. */
  readonly facts: readonly ColumnFacts[];
  readonly columns: DetectedColumns;
  /** False when no column is sure to identify companies, and `columns` has the likeliest. */
  readonly isSure: boolean;
  /** The column that tells rows apart; undefined where none looks like a key. */
  readonly key: string | undefined;
}

/** Rows that are enough to detect what each column holds. */
const sampleRows = 1_000;

/** Reads the beginning of a list and finds its columns, or takes those that are named. */
export async function inspectList(
  path: string,
  form: InputOptions = {},
  named?: readonly { readonly column: string; readonly as: Reading }[],
): Promise<ListFindings> {
  await using input = await openInput(path, form);
  const sample: (readonly (string | undefined)[])[] = [];
  for await (const { cells } of input.rows) {
    sample.push(cells);
    if (sample.length === sampleRows) break;
  }
  const { name, format, sheet, hasHeader } = input;
  const header = [...input.columns];
  const facts = describeColumns(header, sample);
  const detected = detectColumns(header, sample);
  // A job names columns, and cells beyond the header have no name.
  const found = named
    ? named.map(({ column, as }) => describeColumn({ ...findColumn(input, column), as }, sample))
    : detected.identify.filter(({ column }) => column !== '');
  const likeliest = likeliestColumn(facts);
  if (!likeliest) {
    throw new DossierError(
      'NOTHING_TO_IDENTIFY',
      `${name} has no columns to identify companies by${sheetHint(sheet)}`,
    );
  }
  const isSure = found.length > 0;
  const columns = { ...detected, identify: isSure ? found : [likeliest] };
  const used = [...columns.identify, ...(columns.country ? [columns.country] : [])];
  const key = detectKey(
    header,
    sample,
    used.map(({ index }) => index),
  );
  const notes = [...input.notes()];
  const rowsSeen = sample.length;
  return {
    ...{ name, format, sheet, hasHeader, notes, header, rowsSeen },
    ...{ facts, columns, isSure, key },
  };
}
