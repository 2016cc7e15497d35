import { z } from 'zod';
import { group, readAs } from './fields.ts';

/** A bound that a result has to keep, as the job file says it. */
export interface Expectation {
  readonly name: ExpectationName;
  /** As it is written, with single spaces: `>= 60%`. */
  readonly text: string;
  readonly comparison: '>=' | '>' | '<=' | '<';
  readonly limit: number;
  readonly unit: 'percent' | 'rows';
}

export type ExpectationName = keyof typeof forms;

interface Form {
  /** A lower bound, an upper one, or either. */
  readonly bound: 'lower' | 'upper' | 'either';
  readonly units: readonly Expectation['unit'][];
  /** Continues the word "expected" of a message. */
  readonly expected: string;
  readonly about: string;
}

/**
 * Each has the one direction that makes sense: `failed: ">= 1%"` would hold every good result. A bare
 * number is refused, since `60` could be a share or a number of rows.
 */
const forms = {
  rows: {
    bound: 'either',
    units: ['rows'],
    expected: 'a number of rows with a comparison, in quotes: ">= 300", "> 299" or "<= 5000"',
    about: 'How many rows the list has, such as `">= 300"`.',
  },
  matchRate: {
    bound: 'lower',
    units: ['percent'],
    expected: 'the least share of all rows, in quotes: ">= 60%" or "> 62.5%", at most 100%',
    about: 'Share of all rows that have a company, such as `">= 60%"`.',
  },
  matchRateDrop: {
    bound: 'upper',
    units: ['percent'],
    expected: 'the largest fall in points, in quotes: "<= 10%" or "< 2.5%", at most 100%',
    about:
      'By how many points the match rate may fall below that of the last published result, such as `"<= 10%"`.',
  },
  rowsDrop: {
    bound: 'upper',
    units: ['percent', 'rows'],
    expected: 'the largest share or number of rows, in quotes: "<= 20%", "< 2.5%" or "<= 500"',
    about:
      'How many rows fewer than in the last published result there may be, such as `"<= 20%"` or `"<= 500"`.',
  },
  failed: {
    bound: 'upper',
    units: ['percent', 'rows'],
    expected: 'the largest share or number of rows, in quotes: "<= 1%", "< 0.5%" or "<= 20"',
    about: 'How many rows may fail after all attempts, such as `"<= 1%"` or `"<= 20"`.',
  },
} as const satisfies Record<string, Form>;

const comparisons = { lower: '>=?', upper: '<=?', either: '[<>]=?' } as const;
const numbers = { percent: '\\d+(?:\\.\\d+)?\\s*%', rows: '\\d+' } as const;

/** `"<=20 %" → rowsDrop <= 20 percent`; undefined where it is out of range. */
function parseExpectation(name: ExpectationName, written: string): Expectation | undefined {
  const [, comparison, number, sign = ''] = /([<>]=?)\s*([\d.]+)\s*(%?)/.exec(written) ?? [];
  const limit = Number(number);
  if (!Number.isSafeInteger(Math.ceil(limit)) || (sign === '%' && limit > 100)) return undefined;
  return {
    name,
    text: `${comparison} ${number}${sign}`,
    comparison: comparison as Expectation['comparison'],
    limit,
    unit: sign === '%' ? 'percent' : 'rows',
  };
}

export const Expect = group({
  rows: expectation('rows'),
  matchRate: expectation('matchRate'),
  matchRateDrop: expectation('matchRateDrop'),
  rowsDrop: expectation('rowsDrop'),
  failed: expectation('failed'),
});

function expectation(name: ExpectationName) {
  const { bound, units, expected, about } = forms[name];
  const number = units.map((unit) => numbers[unit]).join('|');
  const pattern = new RegExp(`^\\s*${comparisons[bound]}\\s*(?:${number})\\s*$`);
  return readAs(z.string(expected).regex(pattern, expected), expected, (written) =>
    parseExpectation(name, written),
  )
    .optional()
    .describe(about);
}
