import fc from 'fast-check';
import { fullCompany } from './sample-records.ts';

/** Text of any UTF-16 code units: quotes, newlines, NUL, halves of surrogate pairs, formulas. */
export function arbitraryText(): fc.Arbitrary<string> {
  const anyUnits = fc
    .array(fc.nat({ max: 0xffff }), { maxLength: 12 })
    .map((units) => String.fromCharCode(...units));
  const nasty = fc.constantFrom(
    '',
    '"',
    '""',
    ',',
    ';',
    '; ',
    '\n',
    '\r\n',
    '\r',
    '\0',
    '\t',
    '\ufeff',
    '=1+1',
    '@SUM(A1)',
    '-cmd',
    '+61 2 5550 1234',
    '007',
    'null',
    'true',
    '\ud800',
    '\u2028',
  );
  return fc.oneof(
    fc.string(),
    anyUnits,
    fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join('')),
  );
}

/** A company in which any part may be of any type, with fields that nobody has announced. */
export function arbitraryAnswer(): fc.Arbitrary<unknown> {
  return distort(fullCompany());
}

function distort(value: unknown): fc.Arbitrary<unknown> {
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    arbitraryText(),
    fc.array(arbitraryText(), { maxLength: 3 }),
    fc.constantFrom('true', 'false', 0, 1, '12', '12.50', 12.5, [], {}),
  );
  const choices = [
    { weight: 6, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: anything },
  ];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fc.oneof(...choices);
  }
  const known = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, distort(inner)]),
  );
  const unknown = fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom('linkedin', '__proto__', 'constructor', 'network', '0')),
    fc.jsonValue({ maxDepth: 2 }),
    { maxKeys: 3 },
  );
  const whole = fc
    .tuple(fc.record(known, { requiredKeys: [] }), unknown)
    // Through JSON, as every answer comes; it also makes __proto__ a field of its own.
    .map(([fields, others]) => ({ ...others, ...fields }));
  return fc.oneof({ weight: 30, arbitrary: whole }, { weight: 1, arbitrary: anything });
}
