import { isReject } from '../identify/identifier.ts';
import { identifyCell } from '../identify/identify-cell.ts';
import { type Line, readLines } from '../runtime/files/read-lines.ts';
import {
  backslash,
  closeList,
  closeObject,
  comma,
  isSpace,
  openList,
  openObject,
  quote,
} from '../runtime/json/json-signs.ts';
import { peekBytes } from './bytes.ts';
import type { InputRow, InputTable } from './input-row.ts';
import { invalid } from './list-errors.ts';

/** A number of JSON that keeps the text it was written with. */
export interface RawJson {
  readonly rawJSON: string;
}

// Node has both functions; the types of TypeScript's library lack them.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

export { rawJSON };

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

function keepNumberAsWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source ? rawJSON(context.source) : value;
}

/** Whether JSON is one array, whose elements are the rows, and not one object a line. */
function isOneArray(sample: string) {
  const text = sample.trim();
  const [firstLine = ''] = text.split('\n', 1);
  // An array of values on the first of many lines is one bad row among good ones.
  return (
    /^\[\s*\{/.test(text) || (text.startsWith('[') && (firstLine === text || !isJson(firstLine)))
  );
}

/**
 * Throws for one object that holds the whole list, as many programs export it, and for an object over
 * many lines, instead of one object a line. Read as JSON lines, it would be one row, or each line a bad one.
 */
function refuseOneDocument(name: string, sample: string, isWhole: boolean) {
  const text = sample.trim();
  if (text === '' && isWhole) {
    throw invalid(`${name} is empty: it needs one JSON object a line`);
  }
  const [firstLine = ''] = text.split('\n', 1);
  const rowsKey = findRowsKey(text, isWhole);
  if (rowsKey !== undefined) {
    const path = /^[a-z_]\w*$/i.test(rowsKey) ? `.${rowsKey}` : `'.[${JSON.stringify(rowsKey)}]'`;
    throw invalid(
      `${name} is one JSON object with its rows in ${JSON.stringify(rowsKey)}; Dossier reads one object a line, or an array of objects: jq ${path} FILE > ROWS.json`,
    );
  }
  const isSpread = firstLine.trim() === '{' || (isWhole && !isJson(firstLine) && isJson(text));
  if (text.startsWith('{') && isSpread) {
    throw invalid(
      `${name} has a JSON object over many lines; Dossier reads one object a line, or an array of objects: jq -c . FILE > FILE.jsonl`,
    );
  }
}

const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const member = String.raw`\s*${quoted}\s*:\s*(?:${quoted}|[\w.+-]+)\s*,`;
/** An object with a list of objects in it, behind plain values alone. */
const listWithin = new RegExp(String.raw`^\{(?:${member})*\s*(?<key>${quoted})\s*:\s*\[\s*\{`);

/**
 * The key of the list in an object that is the only one: `{"total": 2, "results": [{… → results`. An object
 * with an identifier beside the list is a company, and a row.
 */
function findRowsKey(document: string, isWhole: boolean) {
  const found = listWithin.exec(document);
  const [firstLine = ''] = document.split('\n', 1);
  const isOnly = isJson(document) || (!isWhole && !isJson(firstLine));
  if (!found?.groups?.key || !isOnly) return undefined;
  const read = parseJsonRecord(document);
  // Of a document that is longer than the sample, only what stands before the list is known.
  const values =
    'cells' in read
      ? read.cells.map(([, value]) => value ?? '')
      : found[0].matchAll(new RegExp(quoted, 'g')).map(([word]) => word.slice(1, -1));
  const isCompany = [...values].some((value) => !isReject(identifyCell(value, 'auto')));
  return isCompany ? undefined : (JSON.parse(found.groups.key) as string);
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
export function scanElements(name: string, maxBytes: number) {
  let line = 1;
  let place: 'outside' | 'between' | 'element' | 'string' | 'escape' = 'outside';
  let depth = 0;
  let elementLine = 1;
  let parts: Buffer[] = [];
  let bytes = 0;

  function keep(part: Buffer) {
    // Of a longer element only its length counts.
    if (bytes <= maxBytes) parts.push(part);
    bytes += part.length;
  }

  function complete(): Line {
    const isTooLong = bytes > maxBytes;
    const text = isTooLong ? '' : Buffer.concat(parts).toString('utf8');
    parts = [];
    bytes = 0;
    return { number: elementLine, text, isTooLong };
  }

  return {
    /** The elements that end within this chunk. */
    take(chunk: Buffer): Line[] {
      const elements: Line[] = [];
      let start = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at] ?? 0;
        if (byte === lineFeed) line += 1;
        switch (place) {
          case 'outside':
            if (byte === openList) place = 'between';
            else if (!isSpace(byte)) {
              throw invalid(`${name}, line ${line}: something stands outside of the JSON array`);
            }
            break;
          case 'between':
            if (byte === closeList) place = 'outside';
            if (byte === closeList || byte === comma || isSpace(byte)) break;
            place = 'element';
            elementLine = line;
            depth = 0;
            start = at;
            // The first sign of an element is looked at like those that follow.
            at -= 1;
            break;
          case 'string':
            if (byte === quote) place = 'element';
            else if (byte === backslash) place = 'escape';
            break;
          case 'escape':
            place = 'string';
            break;
          case 'element':
            if (byte === quote) place = 'string';
            else if (byte === openObject || byte === openList) depth += 1;
            else if (depth === 0 && (byte === comma || byte === closeList)) {
              keep(chunk.subarray(start, at));
              elements.push(complete());
              place = byte === comma ? 'between' : 'outside';
            } else if (byte === closeObject || byte === closeList) depth = Math.max(0, depth - 1);
        }
      }
      const isInside = place !== 'outside' && place !== 'between';
      // The chunk may be used for other bytes once it is taken.
      if (isInside) keep(Buffer.from(chunk.subarray(start)));
      return elements;
    },

    /** Throws when the array has no end: elements would be missing without a word. */
    end(): void {
      if (place === 'outside') return;
      const where = place === 'between' ? line : elementLine;
      throw invalid(
        `${name} is a JSON array that does not end: it is cut short, or a quote or bracket of the element in line ${where} does not close`,
      );
    },
  };
}

/** Reads the elements of a JSON array as if each stood on a line of its own. */
async function* readElements(chunks: AsyncIterable<Buffer>, name: string, maxBytes: number) {
  const scan = scanElements(name, maxBytes);
  for await (const chunk of chunks) yield* scan.take(chunk);
  scan.end();
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
  const isArray = isOneArray(sample);
  const table = growingColumns();
  // Columns are chosen before the first row is read, so the keys of the first rows are added now.
  const firstTexts = isArray
    ? scanElements(name, maxRecordLength)
        .take(head)
        .map(({ text }) => text)
    : wholeLines(sample, isWhole);
  for (const text of firstTexts) {
    const read = parseJsonRecord(text);
    if ('cells' in read) table.align(read.cells);
  }

  async function* readBatches() {
    let number = 0;
    const texts = isArray
      ? readElements(bytes, name, maxRecordLength)
      : readLines(bytes, { maxLineBytes: maxRecordLength });
    for await (const { number: line, text, isTooLong } of texts) {
      if (text.trim() === '' && !isTooLong) continue;
      number += 1;
      const read = isTooLong
        ? { problem: `longer than ${maxRecordLength} bytes` }
        : parseJsonRecord(text);
      if ('cells' in read) yield [{ number, line, ...table.align(read.cells) }];
      else {
        const aligned = table.align(isTooLong ? [] : [[unreadableColumn, text]]);
        yield [{ number, line, ...aligned, problem: `line ${line} is ${read.problem}` }];
      }
    }
  }
  return { columns: table.columns, hasHeader: true, titleRows: 0, batches: readBatches() };
}

function growingColumns() {
  const columns: string[] = [];
  const columnOf = new Map<string, number>();

  function findColumn(key: string) {
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

function wholeLines(sample: string, isWhole: boolean) {
  const lines = sample.split('\n');
  return isWhole ? lines : lines.slice(0, -1);
}
