import fc from 'fast-check';
import {
  abns,
  arbitraryWorld,
  domains,
  seniorities,
  slugs,
} from '../../engine/queue/small-world.ts';
import { anyText } from '../../support/any-text.ts';

/** Spellings of the identifiers of the small world, and cells without an identifier. */
const cell = fc.oneof(
  fc.constantFrom(...domains),
  fc.constantFrom(...domains).map((domain) => `https://www.${domain.toUpperCase()}/about?x=1`),
  fc.constantFrom(...domains).map((domain) => `sales@${domain}`),
  fc.constantFrom(...abns),
  fc.constantFrom(...abns).map((abn) => abn.replace(/^(..)(...)(...)(...)$/, '$1 $2 $3 $4')),
  fc.constantFrom(...slugs).map((slug) => `https://au.linkedin.com/company/${slug}/about/`),
  fc.constantFrom('', 'n/a', 'no domain', '51 824 753 557', 'someone@gmail.com', '=HYPERLINK("x")'),
  anyText(12).map((text) => text.replaceAll(/[\0\r\n]/g, ' ')),
);

/** A fault of one request. */
const trouble = fc.constantFrom(
  'overloaded',
  'throttled',
  'throttled by 503',
  'throttled by 200',
  'reset before head',
  'reset within body',
  'cut short',
  'cut short in chunks',
  'cut short without a length',
  'hung up',
  'a page of HTML',
);
export type Trouble = typeof trouble extends fc.Arbitrary<infer Value> ? Value : never;

/** What ends an execution before the run has finished; the next one resumes the run. */
const interruption = fc.oneof(
  fc.record({ kind: fc.constant('signal' as const), after: fc.nat(12), graceMs: fc.nat(4) }),
  fc.record({ kind: fc.constant('budget' as const), after: fc.integer({ min: 1, max: 8 }) }),
);
export type Interruption = typeof interruption extends fc.Arbitrary<infer Value> ? Value : never;

/** A job, a list, a service, and the troubles and interruptions of its run. */
export const arbitraryScenario = fc.record({
  world: arbitraryWorld,
  columns: fc.integer({ min: 1, max: 3 }),
  cells: fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 25 }),
  file: fc.record({
    format: fc.constantFrom<'csv' | 'jsonl'>('csv', 'jsonl'),
    delimiter: fc.constantFrom(',', ';', '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    bom: fc.constantFrom('', '\uFEFF'),
  }),
  concurrency: fc.constantFrom(1, 2, 4, 8, 40),
  attempts: fc.integer({ min: 2, max: 4 }),
  searched: fc.subarray(seniorities),
  pageSize: fc.integer({ min: 1, max: 5 }),
  maxPerCompany: fc.integer({ min: 1, max: 12 }),
  /** The trouble of each request in turn; the list repeats. */
  troubles: fc.array(fc.option(trouble, { freq: 2, nil: undefined }), {
    minLength: 1,
    maxLength: 40,
  }),
  delaysMs: fc.array(fc.nat(3), { minLength: 1, maxLength: 7 }),
  interruptions: fc.array(interruption, { maxLength: 3 }),
});
export type Scenario = typeof arbitraryScenario extends fc.Arbitrary<infer Value> ? Value : never;

/** The scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
  const [scenario] = fc.sample(arbitraryScenario, { seed, numRuns: 1 });
  if (!scenario) throw new Error(`no scenario comes of the seed ${seed}`);
  return scenario;
}

export const columnNames = ['one', 'two', 'three'];

/** The cells of the columns that the job reads. */
export function rowsOf({ cells, columns }: Scenario): string[][] {
  return cells.map((row) => row.slice(0, columns));
}

/** The list as CSV. An extra column keeps a row of blank cells from being a blank line. */
export function fileOf(scenario: Scenario): string {
  const { format, delimiter, lineEnd, bom } = scenario.file;
  const header = ['n', ...columnNames.slice(0, scenario.columns)];
  const rows = rowsOf(scenario).map((row, index) => [String(index), ...row]);
  const quoted = (values: readonly string[]) =>
    values.map((value) => `"${value.replaceAll('"', '""')}"`).join(delimiter);
  const lines =
    format === 'csv'
      ? [header, ...rows].map(quoted)
      : rows.map((row) =>
          JSON.stringify(Object.fromEntries(header.map((name, at) => [name, row[at]]))),
        );
  return bom + lines.map((line) => line + lineEnd).join('');
}
