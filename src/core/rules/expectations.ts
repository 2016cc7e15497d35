import { z } from 'zod';
import { string } from '../values/fields.ts';
import { counted } from '../values/format.ts';

const expectationNames = [
  'rows',
  'matchRate',
  'matchRateDrop',
  'rowsDrop',
  'fillDrop',
  'failed',
] as const;

export const breachNames = [...expectationNames, 'vanished'] as const;

export interface Expectation {
  readonly name: (typeof expectationNames)[number];
  /** `>= 60%` */
  readonly text: string;
  readonly comparison: '>=' | '>' | '<=' | '<';
  readonly limit: number;
  readonly unit: 'percent' | 'rows';
}

const FieldFill = z.strictObject({
  field: string('Field of the company, such as `employee_count`.'),
  before: z.number().describe('Share of the compared companies that had a value, in percent.'),
  now: z.number().describe('Share of the same companies that have a value now, in percent.'),
});
type FieldFill = z.output<typeof FieldFill>;

export const Breach = z.strictObject({
  expectation: z
    .enum(breachNames)
    .describe(
      "Which expectation in the job's `expect` was not met. `vanished` is always checked: too many companies that were found before were not found this time.",
    ),
  expected: string('What was expected, such as `>= 60%`.'),
  found: string('Value measured for this expectation, such as `12%`.'),
  message: string('The expected and found values in a sentence, with the difference.'),
  fields: z
    .array(FieldFill)
    .exactOptional()
    .describe('Fields that lost values. Only for `fillDrop`.'),
});
export type Breach = z.output<typeof Breach>;

export interface RunFigures {
  readonly rows: number;
  readonly matched: number;
  readonly suppressed: number;
  readonly failed: number;
  readonly last: (LastResult & Pick<RunFigures, 'matched' | 'suppressed'>) | undefined;
  /** Companies fetched again since the last published result. No fields if they are too few. */
  readonly fills: { readonly companies: number; readonly fields: readonly FieldFill[] };
}

interface LastResult {
  readonly run: string;
  /** Including suppressed rows. */
  readonly rows: number;
}

export function findBreaches(expectations: readonly Expectation[], figures: RunFigures): Breach[] {
  return findBroken(expectations, (expectation) => measure(expectation, figures));
}

function findBroken(
  expectations: readonly Expectation[],
  measureOne: (expectation: Expectation) => Measured | undefined,
): Breach[] {
  return expectations.flatMap((expectation) => {
    const measured = measureOne(expectation);
    return measured && !isMet(expectation, measured.value) ? [breachOf(expectation, measured)] : [];
  });
}

/** If the last result had fewer rows than this, a much shorter list is not suspicious. */
const fewestRowsToCut = 20;

/** Unless the job expects `rows` or `rowsDrop`, a list must not be empty or look cut short. */
export function findListBreaches(
  expectations: readonly Expectation[],
  rows: number,
  last: LastResult | undefined,
  countKnown?: () => number,
): string[] {
  const broken = findBroken(expectations, (expectation) => measureList(expectation, rows, last));
  const hasOwnLimit = expectations.some(({ name }) => name === 'rows' || name === 'rowsDrop');
  if (hasOwnLimit || !last || !countKnown) return broken.map(({ message }) => message);
  const now = `the list has ${counted(rows, 'row')}, but the last result (${last.run}) had ${shown(last.rows)}`;
  if (rows === 0) return [now];
  const isShort = last.rows >= fewestRowsToCut && rows * 2 < last.rows;
  return isShort && countKnown() >= rows * 0.9 ? [`${now}. The list looks cut short`] : [];
}

function measureList(
  { name, unit }: Expectation,
  rows: number,
  last: LastResult | undefined,
): Measured | undefined {
  if (name === 'rows') return { value: rows };
  if (name !== 'rowsDrop' || !last) return undefined;
  const fewer = last.rows - rows;
  const details = `from ${counted(last.rows, 'row')} in ${last.run} to ${shown(rows)}`;
  return { value: unit === 'rows' ? fewer : percent(fewer, last.rows), details };
}

interface Measured extends Pick<Breach, 'fields'> {
  readonly value: number;
  readonly details?: string;
}

function measure(expectation: Expectation, figures: RunFigures): Measured | undefined {
  const { rows, matched, suppressed, failed, last } = figures;
  switch (expectation.name) {
    case 'matchRate':
      return {
        value: percent(matched, rows),
        details: `${shown(matched)} of ${counted(rows, 'row')}`,
      };
    case 'failed':
      return expectation.unit === 'rows'
        ? { value: failed }
        : { value: percent(failed, rows), details: `${shown(failed)} of ${counted(rows, 'row')}` };
    case 'matchRateDrop': {
      if (!last) return undefined;
      // A longer suppression list must not look like a worse result.
      const before = percent(last.matched + last.suppressed, last.rows);
      const now = percent(matched + suppressed, rows + suppressed);
      const details = `from ${shown(before)}% in ${last.run} to ${shown(now)}%`;
      return { value: rounded(before - now), details };
    }
    case 'fillDrop':
      return measureFills(expectation, figures.fills);
    default:
      return undefined;
  }
}

/** A field that most companies lack may lose its few values by chance. */
const leastFilled = 50;
const fieldsNamed = 5;

function measureFills(
  expectation: Expectation,
  { companies, fields }: RunFigures['fills'],
): Measured | undefined {
  const lossOf = ({ before, now }: FieldFill) => percent(before - now, before);
  const lost = fields.filter(
    (fill) => fill.before >= leastFilled && !isMet(expectation, lossOf(fill)),
  );
  if (lost.length === 0) return undefined;
  const all = counted(companies, 'company', 'companies');
  const named = lost
    .slice(0, fieldsNamed)
    .map(
      ({ field, before, now }) =>
        `${field}: filled in ${Math.round(before)}% of ${all} before, in ${Math.round(now)}% now`,
    );
  if (lost.length > fieldsNamed) named.push(counted(lost.length - fieldsNamed, 'more field'));
  return { value: Math.max(...lost.map(lossOf)), details: named.join('; '), fields: lost };
}

function isMet({ comparison, limit }: Expectation, value: number) {
  switch (comparison) {
    case '>=':
      return value >= limit;
    case '>':
      return value > limit;
    case '<=':
      return value <= limit;
    case '<':
      return value < limit;
  }
}

function breachOf(
  { name, text, comparison, limit, unit }: Expectation,
  { value, details, ...fields }: Measured,
): Breach {
  const found = unit === 'percent' ? `${shown(value)}%` : counted(value, 'row');
  const distance = rounded(Math.abs(limit - value));
  const by = unit === 'percent' ? `${shown(distance)} points` : shown(distance);
  const side = comparison.startsWith('>') ? 'below' : 'above';
  const made = details === undefined ? '' : ` (${details})`;
  const message = `${name}: ${found}${made}, ${by} ${side} the expected ${text}`;
  return { expectation: name, expected: text, found, message, ...fields };
}

export function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : rounded((100 * part) / whole);
}

/** Removes floating-point errors: 66.7 - 56.7 must be 10. */
function rounded(value: number) {
  return Math.round(value * 1e9) / 1e9;
}

function shown(value: number) {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}
