/**
 * Reads JSON of any depth. A whole number that a double cannot hold becomes the text of its digits:
 * it is an id, and two ids that differ in the last digit must not become one.
 */
export function parseJson(text: string): unknown {
  if (!hasLongDigits(text) || !longNumber.test(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    // A reviver needs stack for every level of the value, which reading alone does not.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

const longNumber = /[:[,]\s*-?\d{16}/;

/** A double holds every whole number of fewer digits. */
const longDigits = 16;

/**
 * Whether sixteen digits stand in a row anywhere. They cover one of every sixteen places, so only these
 * are looked at: a regular expression looks at every character.
 */
function hasLongDigits(text: string): boolean {
  for (let place = longDigits - 1; place < text.length; place += longDigits) {
    if (!isDigit(text, place)) continue;
    let first = place;
    while (isDigit(text, first - 1)) first -= 1;
    let last = place;
    while (isDigit(text, last + 1)) last += 1;
    if (last - first + 1 >= longDigits) return true;
  }
  return false;
}

function isDigit(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code >= 48 && code <= 57;
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isExact = typeof value !== 'number' || Number.isSafeInteger(value);
  const source = context?.source ?? '';
  return !isExact && /^-?\d+$/.test(source) ? source : value;
}

const decoder = new TextDecoder();

/** Reads an answer. A byte order mark before it is no part of it, whatever JSON.parse thinks. */
export function readAnswerJson(body: Buffer): unknown {
  return parseJson(decoder.decode(body));
}

/** A number of JSON that keeps the text it was written with. */
export interface RawJson {
  readonly rawJSON: string;
}

// Node has both functions; the types of TypeScript's library lack them.
export const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

/** For JSON.parse: 1.50 stays 1.50, and long numbers keep every digit. */
export function keepNumberAsWritten(
  _key: string,
  value: unknown,
  context?: { source?: string },
): unknown {
  return typeof value === 'number' && context?.source ? rawJSON(context.source) : value;
}
