/** A double holds every whole number of fewer digits. */
const longNumber = /[:[,]\s*-?\d{16}/;

/**
 * Reads JSON of any depth. A whole number that a double cannot hold becomes the text of its digits:
 * it is an id, and two ids that differ in the last digit must not become one.
 */
export function parseJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    // A reviver needs stack for every level of the value, which reading alone does not.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isExact = typeof value !== 'number' || Number.isSafeInteger(value);
  const source = context?.source ?? '';
  return !isExact && /^-?\d+$/.test(source) ? source : value;
}
