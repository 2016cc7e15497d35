import { DossierError } from '../../errors.ts';
import type { Reading } from '../../identify/identifier.ts';
import { findColumn, sheetHint } from '../../input/input-row.ts';
import type { InputOptions, OpenInput } from '../../input/open-input.ts';
import {
  type DetectedColumns,
  detectColumns,
  detectKey,
} from '../../job/from-list/detect-columns.ts';
import {
  type ColumnFacts,
  describeColumn,
  describeColumns,
  likeliestColumn,
} from '../../job/from-list/draft-job.ts';
import { type ListSample, sampleList } from './sample-list.ts';

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

export type NamedColumns = readonly { readonly column: string; readonly as: Reading }[];

/** Reads the beginning of a list and finds its columns, or takes those that are named. */
export async function inspectList(
  path: string,
  form: InputOptions = {},
  named?: NamedColumns,
): Promise<ListFindings> {
  return inspectSample(await sampleList(path, form), named);
}

/** The same for a list whose beginning is read already. */
export function inspectSample(input: ListSample, named?: NamedColumns): ListFindings {
  const { name, format, sheet, hasHeader, notes, header } = input;
  const sample = input.rows.map(({ cells }) => cells);
  const facts = describeColumns(header, sample);
  const detected = detectColumns(header, sample);
  // A job names columns, and cells beyond the header have no name.
  const found = named
    ? named.map(({ column, as }) =>
        describeColumn({ ...findColumn({ name, columns: header }, column), as }, sample),
      )
    : detected.identify.filter(({ column }) => column !== '');
  const likeliest = likeliestColumn(facts);
  if (!likeliest) {
    throw new DossierError(
      'COLUMNS_UNCLEAR',
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
  const rowsSeen = sample.length;
  const shares = new Map(columns.identify.map(({ index, share }) => [index, share]));
  return {
    ...{ name, format, sheet, hasHeader, notes, header, rowsSeen },
    ...{ columns, isSure, key },
    // A column that is used has one share: that of the values which are good for what it is read as.
    facts: facts.map((one, index) => ({ ...one, share: shares.get(index) ?? one.share })),
  };
}
