import { readLines } from '../../runtime/files/read-lines.ts';
import { peekBytes } from '../bytes/peek-bytes.ts';
import type { InputRow, InputTable } from '../input-row.ts';
import { type JsonCell, parseJsonRecord } from './parse-json-record.ts';
import { refuseOneDocument } from './refuse-one-document.ts';

export interface JsonlOptions {
  readonly name: string;
  readonly maxRecordLength: number;
  readonly close: () => Promise<void>;
}

const sampleBytes = 64 * 1024;
/** Limits a file whose keys are data: every row would add columns. */
const maxColumns = 10_000;

/** Reads JSON lines from UTF-8 bytes. `columns` grows as new keys appear. */
export async function readJsonl(
  source: AsyncIterable<Buffer>,
  options: JsonlOptions,
): Promise<InputTable> {
  const { head, isWhole, bytes } = await peekBytes(source, sampleBytes);
  const sample = head.toString('utf8');
  refuseOneDocument(options.name, sample, isWhole);
  const table = growingColumns();
  // Columns are chosen before the first row is read, so the keys of the first lines are added now.
  for (const line of wholeLines(sample, isWhole)) {
    const read = parseJsonRecord(line);
    if ('cells' in read) table.align(read.cells);
  }

  async function* readBatches(): AsyncGenerator<InputRow[]> {
    const { maxRecordLength } = options;
    let number = 0;
    try {
      for await (const { number: line, text, isTooLong } of readLines(bytes, {
        maxLineBytes: maxRecordLength,
      })) {
        if (text.trim() === '' && !isTooLong) continue;
        number += 1;
        const read = isTooLong
          ? { problem: `longer than ${maxRecordLength} bytes` }
          : parseJsonRecord(text);
        yield [
          'cells' in read
            ? { number, line, ...table.align(read.cells) }
            : { number, line, ...table.align([]), problem: `line ${line} is ${read.problem}` },
        ];
      }
    } finally {
      await options.close();
    }
  }
  return { columns: table.columns, hasHeader: true, batches: readBatches() };
}

function growingColumns() {
  const columns: string[] = [];
  const columnOf = new Map<string, number>();

  function findColumn(key: string): number | undefined {
    const known = columnOf.get(key);
    if (known !== undefined || columns.length >= maxColumns) return known;
    columnOf.set(key, columns.length);
    return columns.push(key) - 1;
  }

  function align(found: readonly JsonCell[]): Pick<InputRow, 'cells' | 'problem'> {
    const indexes = found.map(([key]) => findColumn(key));
    const cells = new Array<string | undefined>(columns.length).fill(undefined);
    for (const [position, index] of indexes.entries()) {
      if (index !== undefined) cells[index] = found[position]?.[1];
    }
    if (!indexes.includes(undefined)) return { cells };
    return { cells, problem: `the file has more than ${maxColumns} different keys` };
  }
  return { columns, align };
}

function wholeLines(sample: string, isWhole: boolean): string[] {
  const lines = sample.split('\n');
  return isWhole ? lines : lines.slice(0, -1);
}
