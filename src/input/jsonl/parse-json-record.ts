import { isRawJSON, jsonCell, rawJSON } from '../json-cell.ts';

export type JsonCell = readonly [key: string, value: string | undefined];

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
