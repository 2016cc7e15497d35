import { z } from 'zod';
import { durationPattern, parseDuration } from '../runtime/duration.ts';

/*
 * The kinds of field a job file has. The message of each says what was expected, as words that
 * follow "expected": the loader adds where it stands and what was found there.
 */

export function text(expected = 'text') {
  return z.string(expected).min(1, expected);
}

export function wholeNumber(range: { min: number; max: number }) {
  const expected =
    range.max === Number.MAX_SAFE_INTEGER
      ? `a whole number, ${range.min} or more`
      : `a whole number from ${range.min} to ${range.max}`;
  return z.int(expected).min(range.min, expected).max(range.max, expected);
}

export function yesOrNo() {
  return z.boolean('true or false');
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, `one of ${values.join(', ')}`);
}

/** A group of keys. Unknown ones are errors: a misspelt limit must not be a limit that is lost. */
export function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'invalid_type' ? 'keys with values' : undefined),
  });
}

export function listOf<Item extends z.ZodType>(item: Item, things: string) {
  const expected = `a list of one or more ${things}`;
  return z.array(item, expected).min(1, expected);
}

export function oneOrMany<Item extends z.ZodType>(item: Item, things: string) {
  return z.union([item, listOf(item, things)], `${things}: one, or a list of them`);
}

/** A time with its unit; a bare number is refused, since nobody can tell seconds from minutes. */
export function duration(range: { min: string; max: string }) {
  const expected = `a time from ${range.min} to ${range.max}, such as 30s, 15m, 2h or 30d`;
  const [minMs, maxMs] = [parseDuration(range.min) ?? 0, parseDuration(range.max) ?? 0];
  return z
    .string(expected)
    .regex(durationPattern, expected)
    .refine((written) => {
      const ms = parseDuration(written);
      return ms !== undefined && ms >= minMs && ms <= maxMs;
    }, expected);
}

/** How long an answer stays good. */
export function shelfLife() {
  const expected = 'a time such as 12h or 30d, 0 (never reuse) or forever';
  return z.union(
    [
      z.literal(0, expected),
      z.literal('forever', expected),
      z
        .string(expected)
        .regex(durationPattern, expected)
        .refine((written) => parseDuration(written) !== undefined, expected),
    ],
    expected,
  );
}
