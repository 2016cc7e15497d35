import { tables } from '../../records/tables.ts';
import { formats } from '../files/formats.ts';
import type { RecordFile } from '../files/record-file.ts';
import type { Encoder } from '../sink.ts';
import { tallyBatch, tallyName } from '../tally/run-tally.ts';

/** What to encode of a run, as plain data: both threads open the same encoders from it. */
export interface EncodePlan {
  /** Names of the input's columns. */
  readonly headers: readonly string[];
  readonly files: readonly RecordFile[];
  /** For CSV: cells that a spreadsheet neither runs nor changes. */
  readonly excelSafe: boolean;
  /** Whether what the report says of all records is folded too. */
  readonly isTallied: boolean;
}

export function openEncoders({ headers, files, excelSafe, isTallied }: EncodePlan): Encoder[] {
  const encoders: Encoder[] = files.map(({ name, table, format }) => {
    const { columns, records } = tables[table];
    const encode = formats[format].encoder(columns(headers), { excelSafe });
    return { name, encode: (batch) => encode(records(batch)) };
  });
  return isTallied ? [...encoders, { name: tallyName, encode: tallyBatch }] : encoders;
}
