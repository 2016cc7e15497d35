import { z } from 'zod';
import { durationPattern, parseDuration } from '../../core/values/duration.ts';
import { notLocal } from '../../platform/files/local-path.ts';
import { type AddressKind, isAddress } from '../read-address.ts';

/** Each error message in this file continues "expected …". */

export function text(expected = 'text') {
  return z.string(expected).min(1, expected);
}

export function localPath(
  expected: string,
  problemOf: (path: string) => string | undefined = (path) => notLocal(path),
) {
  return text(expected).refine((path) => problemOf(path) === undefined, {
    error: ({ input }) => `${expected}; ${problemOf(String(input))}`,
  });
}

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`;
  const expected = `a whole number${range}`;
  return fromText(z.int(expected).min(min, expected).max(max, expected));
}

export function yesOrNo() {
  return fromText(z.boolean('true or false'));
}

/** Reads numbers and booleans from text, because variables and flags are always text. */
export function fromText<Field extends z.ZodType>(field: Field) {
  return z.preprocess((given: z.input<Field>): unknown => {
    if (given === 'true' || given === 'false') return given === 'true';
    const isNumber = typeof given === 'string' && /^-?\d+(\.\d+)?$/.test(given);
    return isNumber ? Number(given) : given;
  }, field);
}

/** The pattern is part of the JSON Schema, so editors check it too. */
export function matching(pattern: RegExp, expected: string) {
  return z.string(expected).regex(pattern, expected);
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, `one of ${values.join(', ')}`);
}

/** Unknown keys are errors: a misspelled limit would not limit anything. */
export function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, 'keys with values');
}

export function listOf<Item extends z.ZodType>(item: Item, things: string) {
  const expected = `a list of one or more ${things}`;
  return z.array(item, expected).min(1, expected);
}

/** Refuses unknown names, which would silently do nothing. */
export function columnNames(
  isKnown: (name: string) => boolean,
  expected: string,
  choices: readonly string[],
) {
  const name = text('the name of a column').refine((given) => given === '' || isKnown(given), {
    error: expected,
    params: { choices },
  });
  return many(name, 'names of columns');
}

export function oneOrMany<Item extends z.ZodType>(item: Item, things: string) {
  return z.union([item, listOf(item, things)], `${things}: one, or a list of them`);
}

export function many<Item extends z.ZodType>(item: Item, things: string) {
  return oneOrMany(item, things).transform((given) => [given].flat() as readonly z.output<Item>[]);
}

export function readAs<Given, Value extends {}>(
  field: z.ZodType<Given, Given>,
  expected: string,
  parse: (given: Given) => Value | undefined,
) {
  return field.transform((given, problems) => {
    const value = parse(given);
    if (value === undefined) problems.addIssue(expected);
    return value ?? z.NEVER;
  });
}

/** Refuses a bare number, which could mean seconds or minutes. */
export function duration(min: string, max: string) {
  const expected = `a time from ${min} to ${max}, such as 30s, 15m, 2h or 30d`;
  const [least = 0, most = 0] = [parseDuration(min), parseDuration(max)];
  return readAs(matching(durationPattern, expected), expected, (written) => {
    const amount = parseDuration(written) ?? Number.NaN;
    return amount >= least && amount <= most ? amount : undefined;
  });
}

export function spreadShare() {
  const expected = 'a share from 0% to 50%, such as 20%';
  return readAs(matching(/^\d+(?:\.\d+)?\s*%$/, expected), expected, (written) => {
    const share = Number.parseFloat(written) / 100;
    return share <= 0.5 ? share : undefined;
  });
}

export function maxAge() {
  const expected = 'a time such as 12h or 30d, 0 (never reuse) or forever';
  const age = readAs(matching(durationPattern, expected), expected, parseDuration);
  const forever = z.literal('forever').transform(() => Number.POSITIVE_INFINITY);
  return fromText(z.union([z.literal(0), forever, age], expected));
}

export function addressOrVariable(kind: AddressKind) {
  const expected = `${kind.name}, or a variable that holds one`;
  return z
    .string(expected)
    .refine((written) => written.includes('${') || isAddress(written, kind), expected);
}

export function secret(about: string, variable: string): string {
  return `${about} A secret belongs in a variable: \`\${${variable}}\`.`;
}

export function isEncoding(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}

const expectedPath = 'the path of a folder, or s3://bucket/prefix';

export function outputPath() {
  return localPath(expectedPath, (path) => notLocal(path, 's3'))
    .refine((path) => !isObjectPath(path) || bucketOf.test(path), {
      error: `${expectedPath} with a valid bucket name and no user, password or query; credentials come from the environment`,
    })
    .refine((path) => !/[{}]/.test(path.replace(/\{(?:date|run|job)\}/g, '')), {
      error: `${expectedPath}, with only {date}, {run} or {job} in braces`,
    });
}

export function isObjectPath(path: string): boolean {
  return path.toLowerCase().startsWith('s3://');
}

/** The bucket must already exist, so its name cannot contain `{date}` or `{run}`. */
const bucketOf = /^s3:\/\/[a-z0-9][a-z0-9._-]{1,61}[a-z0-9](?:\/[^?#]*)?$/;
