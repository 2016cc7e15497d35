import { type Line, readLines } from '../core/runtime/files/read-lines.ts';
import {
  backslash,
  closeList,
  closeObject,
  comma,
  isSpace,
  openList,
  openObject,
  quote,
} from '../core/runtime/json/count-values.ts';
import { isRawJSON, keepNumberAsWritten } from '../core/runtime/json/parse-json.ts';
import { peekBytes } from './bytes.ts';
import type { InputRow, InputTable } from './input-row.ts';
import { invalid } from './list-errors.ts';

/** The cell of a value: a text as it is, anything else as JSON writes it. */
export function jsonCell(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  return isRawJSON(value) ? value.rawJSON : JSON.stringify(value);
}

type JsonCell = readonly [key: string, value: string | undefined];

/** Objects within objects are opened to this depth; below it, they are cells of JSON. */
const deepestPath = 8;
/** An object with more keys is a table of data, and one cell of JSON. */
const mostKeys = 100;

/**
 * Reads one object of JSON as cells. Those of an object within it are called by their path:
 * `{"properties": {"domain": …}} → properties.domain`. Numbers keep the text of the file: a double would
 * turn `1.50` into `1.5` and round numbers of twenty digits.
 */
export function parseJsonRecord(line: string): { cells: JsonCell[] } | { problem: string } {
  try {
    const value: unknown = numberAtRisk.test(line)
      ? JSON.parse(line, keepNumberAsWritten)
      : JSON.parse(line);
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawJSON(value)) {
      return { problem: 'not a JSON object' };
    }
    const cells: JsonCell[] = [];
    addCells(cells, Object.entries(value), '', 1);
    return { cells };
  } catch (error) {
    // JSON that is nested a hundred thousand levels deep overflows the stack.
    if (error instanceof RangeError) return { problem: 'nested too deeply' };
    return { problem: `not JSON: ${(error as Error).message}` };
  }
}

function addCells(
  cells: JsonCell[],
  entries: readonly [string, unknown][],
  prefix: string,
  depth: number,
): void {
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
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !isRawJSON(value) ? Object.entries(value) : [];
}

// A reviver makes parsing much slower, so only a line with a number that could change gets one:
// a number with a fraction, an exponent or more digits than a double holds.
const numberAtRisk = /[:[,]\s*-?(?:\d{16}|\d+[.eE])/;

/** Whether JSON is one array, whose elements are the rows, and not one object a line. */
function isOneArray(sample: string) {
  const text = sample.trim();
  const [firstLine = ''] = text.split('\n', 1);
  // An array of values on the first of many lines is one bad row among good ones.
  return (
    /^\[\s*\{/.test(text) || (text.startsWith('[') && (firstLine === text || !isJson(firstLine)))
  );
}

/** Throws for an object over many lines, each of which would be a bad row. */
function refuseOneDocument(name: string, sample: string, isWhole: boolean) {
  const text = sample.trim();
  if (text === '' && isWhole) {
    throw invalid(`${name} is empty: it needs one JSON object a line`);
  }
  const [firstLine = ''] = text.split('\n', 1);
  if (!text.startsWith('{') || isJson(firstLine)) return;
  if (firstLine.trim() !== '{' && !(isWhole && isJson(text))) return;
  throw invalid(
    `${name} has a JSON object over many lines; Dossier reads one object a line, or an array of objects: jq -c . FILE > FILE.jsonl`,
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

/**
 * Cuts a JSON array into the texts of its elements, as its bytes arrive, so that an array of any size takes
 * little memory. It looks only at quotes and brackets; whether an element is JSON is seen when it is parsed.
 * Arrays that follow one another are one list.
 */
export async function* readElements(
  chunks: AsyncIterable<Buffer>,
  name: string,
  maxBytes: number,
): AsyncGenerator<Line> {
  let line = 1;
  let elementLine = 1;
  /** Open brackets: 0 outside of the array, 1 between its elements and in a plain one. */
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  /** The bytes of an element so far; undefined between elements. */
  let parts: Buffer[] | undefined;
  let bytes = 0;
  const keep = (part: Buffer) => {
    // Of a longer element only its length counts.
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
        // Spaces change nothing.
      } else if (depth === 0) {
        if (byte !== openList) {
          throw invalid(`${name}, line ${line}: something stands outside of the JSON array`);
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
    // The chunk may be used for other bytes once it is taken.
    if (parts) keep(Buffer.from(chunk.subarray(start)));
  }
  if (depth === 0) return;
  // Without an error elements would be missing.
  throw invalid(
    `${name} is a JSON array that does not end: it is cut short, or a quote or bracket of the element in line ${parts ? elementLine : line} does not close`,
  );
}

const sampleBytes = 64 * 1024;
/** Keeps the text of a row that is no object. It is a column from the first such row on. */
const unreadableColumn = 'unreadable_text';
/** Limits a file whose keys are data: every row would add columns. */
const maxColumns = 10_000;

/** Reads JSON lines, or an array of objects, from UTF-8 bytes. `columns` grows as new keys appear. */
export async function readJsonl(
  source: AsyncIterable<Buffer>,
  name: string,
  maxRecordLength: number,
): Promise<InputTable> {
  const { head, isWhole, bytes } = await peekBytes(source, sampleBytes);
  const sample = head.toString('utf8');
  refuseOneDocument(name, sample, isWhole);
  const texts = isOneArray(sample)
    ? readElements(bytes, name, maxRecordLength)
    : readLines(bytes, { maxLineBytes: maxRecordLength });
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
      // `{"a": {"b": 1}, "a.b": 2}` has two cells of one name.
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

  // Columns are chosen before the first row is read, so the keys of the first rows are added now.
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
