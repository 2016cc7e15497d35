import { readLines } from '../../runtime/files/read-lines.ts';
import { peekBytes } from '../bytes/peek-bytes.ts';
import type { InputRow, InputTable } from '../input-row.ts';
import { type JsonCell, parseJsonRecord } from './parse-json-record.ts';
import { isOneArray, refuseOneDocument } from './refuse-one-document.ts';
import { readElements, scanElements } from './scan-elements.ts';

export interface JsonlOptions {
  readonly name: string;
  readonly maxRecordLength: number;
  readonly close: () => Promise<void>;
}

const sampleBytes = 64 * 1024;
/** Keeps the text of a row that is no object. It is a column from the first such row on. */
const unreadableColumn = 'unreadable_text';
/** Limits a file whose keys are data: every row would add columns. */
const maxColumns = 10_000;

/** Reads JSON lines, or an array of objects, from UTF-8 bytes. `columns` grows as new keys appear. */
export async function readJsonl(
  source: AsyncIterable<Buffer>,
  options: JsonlOptions,
): Promise<InputTable> {
  const { head, isWhole, bytes } = await peekBytes(source, sampleBytes);
  const sample = head.toString('utf8');
  const { name, maxRecordLength } = options;
  refuseOneDocument(name, sample, isWhole);
  const isArray = isOneArray(sample);
  const limits = { name, maxBytes: maxRecordLength };
  const table = growingColumns();
  // Columns are chosen before the first row is read, so the keys of the first rows are added now.
  const firstTexts = isArray
    ? scanElements(limits)
        .take(head)
        .map(({ text }) => text)
    : wholeLines(sample, isWhole);
  for (const text of firstTexts) {
    const read = parseJsonRecord(text);
    if ('cells' in read) table.align(read.cells);
  }

  async function* readBatches(): AsyncGenerator<InputRow[]> {
    let number = 0;
    const texts = isArray
      ? readElements(bytes, limits)
      : readLines(bytes, { maxLineBytes: maxRecordLength });
    try {
      for await (const { number: line, text, isTooLong } of texts) {
        if (text.trim() === '' && !isTooLong) continue;
        number += 1;
        const read = isTooLong
          ? { problem: `longer than ${maxRecordLength} bytes` }
          : parseJsonRecord(text);
        yield [
          'cells' in read
            ? { number, line, ...table.align(read.cells) }
            : {
                number,
                line,
                ...table.align(isTooLong ? [] : [[unreadableColumn, text]]),
                problem: `line ${line} is ${read.problem}`,
              },
        ];
      }
    } finally {
      await options.close();
    }
  }
  return { columns: table.columns, hasHeader: true, titleRows: 0, batches: readBatches() };
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
