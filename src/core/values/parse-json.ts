/** Ids too large for a double become text, so they keep all digits. */
export function parseJson(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    // A reviver overflows the stack on deeply nested JSON, but plain parsing does not.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

const longDigits = 16;

/** Looks only at every 16th position, because 16 digits in a row always include one of them. */
function hasLongNumber(text: string) {
  for (let place = longDigits - 1; place < text.length; place += longDigits) {
    if (!isDigit(text, place)) continue;
    let first = place;
    while (isDigit(text, first - 1)) first -= 1;
    let last = place;
    while (isDigit(text, last + 1)) last += 1;
    if (last - first + 1 >= longDigits && isNumberAt(text, first)) return true;
    // Else a text of a million digits would be read a million times.
    place = last;
  }
  return false;
}

/** Digits inside a text are no number: a colon, a comma or a bracket stands before a number. */
function isNumberAt(text: string, first: number) {
  let before = text[first - 1] === '-' ? first - 2 : first - 1;
  while (' \n\r\t'.includes(text[before] ?? '"')) before -= 1;
  return ':[,'.includes(text[before] ?? '"');
}

function isDigit(text: string, place: number) {
  const code = text.charCodeAt(place);
  return code >= 48 && code <= 57;
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isExact = typeof value !== 'number' || Number.isSafeInteger(value);
  const source = context?.source ?? '';
  return !isExact && /^-?\d+$/.test(source) ? source : value;
}

const decoder = new TextDecoder();

/** Skips a byte order mark, which JSON.parse rejects. */
export function readAnswerJson(body: Buffer): unknown {
  return parseJson(decoder.decode(body));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface RawJson {
  readonly rawJSON: string;
}

// TypeScript's library types lack both functions.
export const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

export function keepNumberAsWritten(
  _key: string,
  value: unknown,
  context?: { source?: string },
): unknown {
  return typeof value === 'number' && context?.source ? rawJSON(context.source) : value;
}
