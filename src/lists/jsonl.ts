import {
  backslash,
  closeList,
  closeObject,
  comma,
  isSpace,
  openList,
  openObject,
  quote,
} from '../core/values/count-values.ts';
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
    const value: unknown = numberAtRisk.test(line)
      ? JSON.parse(line, keepNumberAsWritten)
      : JSON.parse(line);
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

function refuseOneDocument(name: string, sample: string, isWhole: boolean) {
  const text = sample.trim();
  if (text === '' && isWhole) {
    throw invalid(`${name} is empty: it needs one JSON object per line`);
  }
  const [firstLine = ''] = text.split('\n', 1);
  if (!text.startsWith('{') || isJson(firstLine)) return;
  if (firstLine.trim() !== '{' && !(isWhole && isJson(text))) return;
  throw invalid(
    `${name} has a JSON object that spans several lines; Dossier reads one object per line, or an array of objects. To convert it: jq -c . FILE > FILE.jsonl`,
  );
}

function isJson(text: string) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const lineFeed = 0x0a;

/** Elements of several arrays form one list. */
export async function* readElements(
  chunks: AsyncIterable<Buffer>,
  name: string,
  maxBytes: number,
): AsyncGenerator<Line> {
  let line = 1;
  let elementLine = 1;
  /** 0 outside the array, 1 between elements and inside a plain value. */
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let parts: Buffer[] | undefined;
  let bytes = 0;
  const keep = (part: Buffer) => {
    if (bytes <= maxBytes) parts?.push(part);
    bytes += part.length;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === lineFeed) line += 1;
      if (isString) {
        isString = isEscaped || byte !== quote;
        isEscaped = !isEscaped && byte === backslash;
      } else if (isSpace(byte)) {
      } else if (depth === 0) {
        if (byte !== openList) {
          throw invalid(`${name}, line ${line}: there is text outside the JSON array`);
        }
        depth = 1;
      } else if (depth === 1 && (byte === comma || byte === closeList)) {
        if (parts) {
          keep(chunk.subarray(start, at));
          const isTooLong = bytes > maxBytes;
          const text = isTooLong ? '' : Buffer.concat(parts).toString('utf8');
          yield { number: elementLine, text, isTooLong };
        }
        parts = undefined;
        bytes = 0;
        if (byte === closeList) depth = 0;
      } else {
        if (!parts) {
          parts = [];
          start = at;
          elementLine = line;
        }
        if (byte === quote) isString = true;
        if (byte === openObject || byte === openList) depth += 1;
        if (byte === closeObject || byte === closeList) depth = Math.max(1, depth - 1);
      }
    }
    // The source may reuse the memory of the chunk.
    if (parts) keep(Buffer.from(chunk.subarray(start)));
  }
  if (depth === 0) return;
  throw invalid(
    `${name} is a JSON array that does not end: it is cut short, or a quote or bracket is not closed in the element at line ${parts ? elementLine : line}`,
  );
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
  const texts = sample.trimStart().startsWith('[')
    ? readElements(bytes, name, maxRecordLength)
    : readLines(bytes, maxRecordLength);
  const records = readRecords(texts, maxRecordLength);
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
      else if (cells[index] !== undefined) problem = `line ${line} has two values called ${key}`;
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
  maxBytes: number,
): AsyncGenerator<JsonRecord> {
  for await (const { number: line, text, isTooLong } of texts) {
    const { length } = text;
    if (isTooLong) {
      yield { line, length, cells: [], problem: `line ${line} is longer than ${maxBytes} bytes` };
    } else if (text.trim() !== '') {
      const read = parseJsonRecord(text);
      if ('cells' in read) yield { line, length, ...read };
      else {
        const problem = `line ${line} is ${read.problem}`;
        yield { line, length, cells: [[unreadableColumn, text]], problem };
      }
    }
  }
}
