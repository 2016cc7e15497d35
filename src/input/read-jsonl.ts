import { DossierError } from '../errors.ts';
import { readLines } from '../runtime/read-lines.ts';
import type { InputRow, InputTable } from './input-row.ts';
import { type JsonCell, parseJsonRecord } from './parse-json-record.ts';
import { peekBytes } from './peek-bytes.ts';

export interface JsonlOptions {
  readonly name: string;
  readonly maxRecordLength: number;
  readonly close: () => Promise<void>;
}

const sampleBytes = 64 * 1024;
/** A file whose keys are data would otherwise grow a column for each row. */
const maxColumns = 10_000;

/** Reads JSON lines from UTF-8 bytes. `columns` grows as new keys appear. */
export async function readJsonl(
  source: AsyncIterable<Buffer>,
  options: JsonlOptions,
): Promise<InputTable> {
  const { head, isWhole, bytes } = await peekBytes(source, sampleBytes);
  refuseOneDocument(options.name, head.toString('utf8'), isWhole);
  const columns: string[] = [];
  const columnOf = new Map<string, number>();

  function align(found: readonly JsonCell[]): { cells: (string | undefined)[]; problem?: string } {
    let isFull = false;
    const placed: [number, string | undefined][] = [];
    for (const [key, value] of found) {
      let column = columnOf.get(key);
      if (column === undefined) {
        isFull ||= columns.length >= maxColumns;
        if (isFull) continue;
        column = columns.push(key) - 1;
        columnOf.set(key, column);
      }
      placed.push([column, value]);
    }
    const cells = new Array<string | undefined>(columns.length).fill(undefined);
    for (const [column, value] of placed) cells[column] = value;
    return isFull ? { cells, problem: `the file has more than ${maxColumns} keys` } : { cells };
  }

  async function* readRows(): AsyncGenerator<InputRow> {
    let number = 0;
    try {
      for await (const { number: line, text, isTooLong } of readLines(bytes, {
        maxLineBytes: options.maxRecordLength,
      })) {
        if (text.trim() === '' && !isTooLong) continue;
        number += 1;
        const read = isTooLong
          ? { problem: `line ${line} is longer than ${options.maxRecordLength} bytes` }
          : parseJsonRecord(text);
        if ('problem' in read) yield { number, line, ...align([]), problem: read.problem };
        else yield { number, line, ...align(read.cells) };
      }
    } finally {
      await options.close();
    }
  }
  return { columns, hasHeader: true, rows: readRows() };
}

/** One array or one pretty-printed object over many lines would be a bad row for each line. */
function refuseOneDocument(name: string, sample: string, isWhole: boolean): void {
  const text = sample.trimStart();
  if (text === '') {
    if (!isWhole) return;
    throw new DossierError('INPUT_INVALID', `${name} is empty: it needs one JSON object a line`);
  }
  const lineEnd = text.indexOf('\n');
  const firstLine = (lineEnd === -1 ? text : text.slice(0, lineEnd)).trim();
  const isOnlyLine = lineEnd === -1 || (isWhole && text.slice(lineEnd).trim() === '');
  if (text.startsWith('[') && (isOnlyLine || 'problem' in parseJsonRecord(firstLine))) {
    throw new DossierError(
      'INPUT_INVALID',
      `${name} is one JSON array; Dossier reads one object a line: jq -c '.[]' FILE > FILE.jsonl`,
    );
  }
  if (firstLine === '{') {
    throw new DossierError(
      'INPUT_INVALID',
      `${name} has one JSON object over many lines; Dossier reads one object a line: jq -c . FILE > FILE.jsonl`,
    );
  }
}
