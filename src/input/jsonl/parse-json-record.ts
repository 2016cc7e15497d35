export type JsonCell = readonly [key: string, value: string | undefined];

/**
 * Reads one line of JSON as cells. Numbers keep the text of the file: a double would turn `1.50`
 * into `1.5` and round numbers of twenty digits.
 */
export function parseJsonRecord(line: string): { cells: JsonCell[] } | { problem: string } {
  try {
    const value: unknown = numberAtRisk.test(line)
      ? JSON.parse(line, keepNumberAsWritten)
      : JSON.parse(line);
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawJSON(value)) {
      return { problem: 'not a JSON object' };
    }
    return { cells: Object.entries(value).map(([key, cell]) => [key, toText(cell)]) };
  } catch (error) {
    // JSON that is nested a hundred thousand levels deep overflows the stack.
    if (error instanceof RangeError) return { problem: 'nested too deeply' };
    return { problem: `not JSON: ${(error as Error).message}` };
  }
}

// A reviver makes parsing much slower, so only a line with a number that could change gets one:
// a number with a fraction, an exponent or more digits than a double holds.
const numberAtRisk = /[:[,]\s*-?(?:\d{16}|\d+[.eE])/;

interface RawJson {
  readonly rawJSON: string;
}

// Node has both functions; the types of TypeScript's library lack them.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

function keepNumberAsWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source ? rawJSON(context.source) : value;
}

function toText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  return isRawJSON(value) ? value.rawJSON : JSON.stringify(value);
}
