import { assertNever } from '../../runtime/assert-never.ts';
import type { Cell } from '../columns/columns.ts';
import type { FieldType } from '../columns/interface-fields.ts';

/**
 * The cell for a value that is not null, or undefined where the value does not fit the column
 * without a guess. Nothing that a person would read differently afterwards is changed: `"1234"` is
 * an integer, `"1,234"` and `"0123"` are not.
 */
export function coerce(
  type: Exclude<FieldType, 'json'>,
  value: unknown,
): Exclude<Cell, null> | undefined {
  switch (type) {
    case 'text':
      return coerceText(value);
    case 'integer':
      return coerceNumber(value, wholeText, Number.isSafeInteger);
    case 'decimal':
      return coerceNumber(value, decimalText, Number.isFinite);
    case 'boolean':
      return coerceBoolean(value);
    case 'list':
      return coerceList(value);
    default:
      return assertNever(type);
  }
}

const wholeText = /^(?:0|-?[1-9]\d{0,15})$/;
/** At most fifteen digits: more would not survive as a double. */
const decimalText = /^-?(?=(?:\d\.?){1,15}$)(?:0|[1-9]\d*)(?:\.\d+)?$/;

function coerceText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

function coerceNumber(
  value: unknown,
  pattern: RegExp,
  fits: (number: number) => boolean,
): number | undefined {
  if (typeof value === 'number') return fits(value) ? value : undefined;
  if (typeof value !== 'string' || !pattern.test(value)) return undefined;
  const number = Number(value);
  return fits(number) ? number : undefined;
}

function coerceBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 1) return true;
  return value === 'false' || value === 0 ? false : undefined;
}

function coerceList(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) {
    const only = coerceText(value);
    if (only === undefined) return undefined;
    return only === '' ? [] : [only];
  }
  const texts: string[] = [];
  for (const element of value) {
    // Null says nothing, so nothing is lost without it.
    if (element === null) continue;
    const text = coerceText(element);
    // One element that does not fit takes the list to the extra column, in its order.
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts;
}
