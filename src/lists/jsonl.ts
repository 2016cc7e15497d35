import { isRawJSON, isRecord, keepNumberAsWritten } from '../core/values/parse-json.ts';
import { peekBytes } from '../platform/files/read-bytes.ts';
import { type Line, readLines } from '../platform/files/read-lines.ts';
import type { InputRow, InputTable } from './input-row.ts';
import { invalid } from './list-errors.ts';

export function jsonCell(value: unknown): string | undefined {
  if (value == null) return undefined;
  if (typeof value === 'string') return value;
  return isRawJSON(value) ? value.rawJSON : JSON.stringify(value);
}

type JsonCell = readonly [key: string, value: string | undefined];

const deepestPath = 8;
/** In a larger object, keys are data, so the object becomes one cell. */
const mostKeys = 100;

/** `{"properties": {"domain": …}} → properties.domain`. Numbers keep their text: `1.50`. */
export function parseJsonRecord(line: string): { cells: JsonCell[] } | { problem: string } {
  try {
    const value = parseExactly(line);
    if (!isRecord(value) || isRawJSON(value)) return { problem: 'not a JSON object' };
    const cells: JsonCell[] = [];
    addCells(cells, Object.entries(value), '', 1);
    return { cells };
  } catch (error) {
    // JSON nested 100,000 levels deep overflows the stack.
    if (error instanceof RangeError) return { problem: 'nested too deeply' };
    return { problem: `not JSON: ${(error as Error).message}` };
  }
}

function addCells(
  cells: JsonCell[],
  entries: readonly [string, unknown][],
  prefix: string,
  depth: number,
) {
  for (const [key, value] of entries) {
    const path = prefix + key;
    const inside = depth < deepestPath ? entriesOf(value) : [];
    if (inside.length > 0 && inside.length <= mostKeys) {
      addCells(cells, inside, `${path}.`, depth + 1);
    } else {
      cells.push([path, jsonCell(value)]);
    }
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) && !isRawJSON(value) ? Object.entries(value) : [];
}

// Only these numbers may lose digits and need the slow reviver.
const numberAtRisk = /[:[,]\s*-?(?:\d{16}|\d+[.eE])/;

function parseExactly(text: string): unknown {
  return numberAtRisk.test(text) ? JSON.parse(text, keepNumberAsWritten) : JSON.parse(text);
}

function refuseOneDocument(name: string, sample: string, isWhole: boolean) {
  const text = sample.trim();
  if (text === '' && isWhole) {
    throw invalid(`${name} is empty: it needs one JSON object per line`);
  }
  const [firstLine = ''] = text.split('\n', 1);
  if (!text.startsWith('{') || isJson(firstLine)) return;
  if (firstLine.trim() !== '{' && !(isWhole && isJson(text))) return;
  throw invalid(`${name} has a JSON object that spans several lines; ${asLines('.')}`);
}

function isJson(text: string) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Numbers kept as written make parsing slow: 32 MB take 5 s and 400 MB of memory. */
const maxArrayMegabytes = 32;

/** An array is parsed whole, because only lines show where an object ends. */
async function* readElements(
  chunks: AsyncIterable<Buffer>,
  name: string,
  maxBytes: number,
): AsyncGenerator<Line> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxArrayMegabytes * 1024 ** 2) {
      throw invalid(
        `${name} is a JSON array of more than ${maxArrayMegabytes} MB; ${asLines('.[]')}`,
      );
    }
    // The source may reuse the memory of the chunk.
    parts.push(Buffer.from(chunk));
  }
  let elements: string[];
  try {
    const array = parseExactly(Buffer.concat(parts).toString('utf8')) as unknown[];
    elements = array.map((element) => JSON.stringify(element));
  } catch (error) {
    const reason = (error as Error).message.replaceAll(/\s+/g, ' ');
    throw invalid(`${name} is not one valid JSON array: ${reason}; ${asLines('.[]')}`);
  }
  for (const [index, text] of elements.entries()) {
    const isTooLong = Buffer.byteLength(text) > maxBytes;
    yield { number: index + 1, text: isTooLong ? '' : text, isTooLong };
  }
}

function asLines(filter: string) {
  return `Dossier reads files of any size with one object per line. To convert it: jq -c '${filter}' FILE > FILE.jsonl`;
}

const sampleBytes = 64 * 1024;
const unreadableColumn = 'unreadable_text';
/** If keys are data, such as ids, every row would add columns. */
const maxColumns = 10_000;

export async function readJsonl(
  source: AsyncIterable<Buffer>,
  name: string,
  maxRecordLength: number,
): Promise<InputTable> {
  const { head, isWhole, bytes } = await peekBytes(source, sampleBytes);
  const sample = head.toString('utf8');
  refuseOneDocument(name, sample, isWhole);
  const isArray = sample.trimStart().startsWith('[');
  const unit = isArray ? 'element' : 'line';
  const texts = isArray
    ? readElements(bytes, name, maxRecordLength)
    : readLines(bytes, maxRecordLength);
  const records = readRecords(texts, unit, maxRecordLength);
  const first: JsonRecord[] = [];
  for (let characters = 0; characters < sampleBytes; ) {
    const next = await records.next();
    if (next.done) break;
    first.push(next.value);
    characters += next.value.length;
  }
  const columns: string[] = [];
  const columnOf = new Map<string, number>();
  let number = 0;

  function toRow({ line, cells: found, ...record }: JsonRecord): InputRow {
    const cells = new Array<string | undefined>(columns.length).fill(undefined);
    let { problem } = record;
    for (const [key, value] of found) {
      const index = findColumn(key);
      if (index === undefined) problem = `the file has more than ${maxColumns} different keys`;
      else if (cells[index] !== undefined) problem = `${unit} ${line} has two values called ${key}`;
      else cells[index] = value;
    }
    number += 1;
    return { number, line, cells, problem };
  }

  function findColumn(key: string) {
    const known = columnOf.get(key);
    if (known !== undefined || columns.length >= maxColumns) return known;
    columnOf.set(key, columns.length);
    return columns.push(key) - 1;
  }

  // Adds these columns now, because callers choose the identifying columns before they read rows.
  for (const { cells, problem } of first) {
    if (problem === undefined) for (const [key] of cells) findColumn(key);
  }
  async function* readBatches() {
    yield first.map(toRow);
    for await (const record of records) yield [toRow(record)];
  }
  return { columns, hasHeader: true, titleRows: 0, batches: readBatches() };
}

interface JsonRecord {
  readonly line: number;
  readonly length: number;
  readonly cells: readonly JsonCell[];
  readonly problem?: string;
}

async function* readRecords(
  texts: AsyncIterable<Line>,
  unit: string,
  maxBytes: number,
): AsyncGenerator<JsonRecord> {
  for await (const { number: line, text, isTooLong } of texts) {
    const { length } = text;
    if (isTooLong) {
      yield {
        line,
        length,
        cells: [],
        problem: `${unit} ${line} is longer than ${maxBytes} bytes`,
      };
    } else if (text.trim() !== '') {
      const read = parseJsonRecord(text);
      if ('cells' in read) yield { line, length, ...read };
      else {
        const problem = `${unit} ${line} is ${read.problem}`;
        yield { line, length, cells: [[unreadableColumn, text]], problem };
      }
    }
  }
}
