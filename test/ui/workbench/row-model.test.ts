import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Facets, RowsPage, TableColumns } from '../../../src/ui/workbench/api/rows.ts';
import type { WholeRow } from '../../../src/ui/workbench/api/whole-row.ts';
import {
  countsOf,
  numbersOf,
  type OpenedPage,
  openFolder,
  openPageOver,
  type WorkbenchFolder,
} from './support/workbench-folder.ts';

/*
 * Whatever is searched, narrowed and sorted, the table shows what a program would that reads the exported
 * file with a few lines of JavaScript.
 */

type Exported = Readonly<Record<string, unknown>> & { readonly row_number: number };

const names = [
  'Ümlaut & Söhne',
  '100% "Best"',
  'under_score',
  "O'Neil",
  'Ünal',
  '=1+1',
  '株式会社',
];
const sizes = ['1-10', '11-50', '1,001-5,000', null];
const industries = [[], ['Retail'], ['Retail', 'Mining'], ['Mining', 'Law']];

function companyOf(domain: string) {
  const number = Number(/\d+/.exec(domain)?.[0] ?? 0);
  return {
    id: `c_${number}`,
    name: number % 5 === 0 ? null : `${names[number % names.length]} ${number}`,
    fqdn: number % 11 === 3 ? 'another.com.au' : domain,
    // A text where the interface has a number.
    employee_count: number % 7 === 2 ? 'many' : number % 4 === 0 ? null : (number * 37) % 1_000,
    year_founded: 1990 + (number % 30),
    hq_location: number % 2 === 0 ? 'São Paulo' : 'Perth WA',
    company_size: sizes[number % sizes.length],
    industries: industries[number % industries.length],
    industry_codes: { abn: null, acn: `00${number}` },
  };
}

const rows = 90;
const list = [
  'Name,Website,Owner,Seats',
  ...Array.from({ length: rows }, (_, at) => {
    const name = `"${(names[at % names.length] ?? '').replaceAll('"', '""')}"`;
    const site =
      at % 9 === 4 ? 'someone@gmail.com' : at % 8 === 5 ? `unknown${at}.com.au` : `s${at}.com.au`;
    return `${name},${site},${at % 3 === 0 ? '' : `sales-${at % 4}`},${at % 6 === 0 ? 'n/a' : (at * 7) % 50}`;
  }),
].join('\n');

let folder: WorkbenchFolder;
let page: OpenedPage;
let exported: Exported[];

beforeAll(async () => {
  folder = await openFolder((domain) =>
    domain.startsWith('unknown')
      ? { status: 404, body: '{"error":404,"message":"Company not found"}' }
      : { body: JSON.stringify(companyOf(domain)) },
  );
  folder.write('leads.csv', list);
  await folder.dossier('run', 'leads.csv', '--rate', 'none', '--format', 'jsonl');
  exported = readFileSync(join(folder.path, 'output/leads/companies.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Exported);
  page = await openPageOver(folder.path);
  await page.untilWhole({ job: 'leads.csv' });
});
afterAll(async () => {
  await page[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const fold = (value: unknown) =>
  String(value ?? '')
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();

const searched = /^(?:row_key|input_.*|identifier|company_(?:id|name|fqdn|network|hq_location))$/;
const codes = /^company_industry_codes_(?:abn|acn|nzbn|uen)$/;

/** What is searched of a record. */
const textsOf = new Map<Exported, readonly string[]>();

function fits(record: Exported, search: string): boolean {
  const texts =
    textsOf.get(record) ??
    Object.entries(record)
      .filter(([name]) => searched.test(name) || codes.test(name))
      .map(([, value]) => fold(value));
  textsOf.set(record, texts);
  return fold(search)
    .split(' ')
    .every((word) => texts.some((text) => text.includes(word)));
}

const facetValues: Record<string, (record: Exported) => unknown[]> = {
  status: ({ status }) => [status],
  reason: ({ reason }) => [reason],
  matched_by: ({ matched_by }) => [matched_by],
  country: ({ country }) => [country],
  company_company_size: ({ company_company_size }) => [company_company_size],
  input_owner: ({ input_owner }) => [input_owner || null],
  mismatch: ({ match }) => [match === 'mismatch' ? 'yes' : null],
};

const narrows = (record: Exported, facets: Record<string, readonly string[]>) =>
  Object.entries(facets).every(
    ([name, chosen]) =>
      chosen.length === 0 ||
      facetValues[name]?.(record).some((value) => chosen.includes(String(value ?? ''))),
  );

function keyOf(record: Exported, column: string): string | number | null {
  const value = record[column] ?? null;
  if (value === null || value === '') return null;
  if (column === 'company_company_size') return Number.parseInt(String(value).replace(',', ''), 10);
  if (typeof value === 'boolean') return value ? 'yes' : null;
  if (typeof value === 'number') return value;
  const text = String(value).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return column.startsWith('input_') && /^\d+$/.test(text) ? Number(text) : text;
}

/** Numbers before texts in both directions, and texts by their bytes. */
function compare(one: string | number, other: string | number, descending: boolean): number {
  if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1;
  const order =
    typeof one === 'number' && typeof other === 'number'
      ? one - other
      : Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
  return descending ? -order : order;
}

function sorted(records: readonly Exported[], column: string, descending: boolean): Exported[] {
  const keyed = records.map((record) => ({ record, key: keyOf(record, column) }));
  const filled = keyed
    .filter(({ key }) => key !== null)
    .sort(
      (one, other) =>
        compare(one.key ?? 0, other.key ?? 0, descending) ||
        one.record.row_number - other.record.row_number,
    );
  return [...filled, ...keyed.filter(({ key }) => key === null)].map(({ record }) => record);
}

const searches = fc.oneof(
  fc.constantFrom(...['', 's1', 'SAO', 'perth wa', 'gmail 4', '"best"', '100%', '_', "o'n", '株']),
  fc.constantFrom(
    ...['*', 'name:x', '" OR 1', '\\', '%', 'NEAR(a b)', '=1+1', '00', '\u0000', 'é'],
  ),
  fc.string({ maxLength: 3, unit: 'binary' }),
);
const choice = (...values: string[]) => fc.subarray(values);
const facets = fc.record(
  {
    status: choice('matched', 'not_found', 'invalid', 'open'),
    reason: choice('freemail', 'not_found'),
    matched_by: choice('fqdn', 'abn'),
    country: choice('AU', 'NZ'),
    company_company_size: choice('1-10', '11-50', 'unheard of'),
    input_owner: choice('sales-1', 'sales-2'),
    mismatch: choice('yes'),
  },
  { requiredKeys: [] },
);
const columns = [
  'row_number',
  'row_key',
  'status',
  'reason',
  'identifier',
  'match',
  'stale',
].concat(
  ['fetched_at', 'company_name', 'company_fqdn', 'company_employee_count', 'company_hq_location'],
  ['company_company_size', 'company_year_founded', 'input_name', 'input_owner', 'input_seats'],
);
const sorting = fc.option(
  fc.record({ sort: fc.constantFrom(...columns), descending: fc.boolean() }),
);

test('any search, facets and sort show the rows that the exported file has', async () => {
  const shown = ['input_name', 'status', 'company_name', 'company_industries', 'company_extra'];
  const part = fc.record({ offset: fc.nat(100), limit: fc.integer({ min: 1, max: 100 }) });
  await fc.assert(
    fc.asyncProperty(searches, facets, sorting, part, async (search, chosen, sort, stretch) => {
      const fitting = exported.filter((row) => fits(row, search) && narrows(row, chosen));
      const expected = sort ? sorted(fitting, sort.sort, sort.descending) : fitting;
      const query = { job: 'leads.csv', search, facets: chosen, ...sort, ...stretch };
      const found = await page.get<RowsPage>('rows', { ...query, columns: shown });
      const seen = expected.slice(stretch.offset, stretch.offset + stretch.limit);
      expect({ total: found.total, numbers: numbersOf(found) }).toEqual({
        total: expected.length,
        numbers: seen.map(({ row_number }) => row_number),
      });
      expect(found.rows.map(({ cells }) => cells[2])).toEqual(
        seen.map(({ company_name }) => company_name),
      );
    }),
    { numRuns: 150 },
  );
});

test('counts of a facet heed the search and all other facets', async () => {
  await fc.assert(
    fc.asyncProperty(searches, facets, async (search, chosen) => {
      const query = { job: 'leads.csv', search, facets: chosen, open: ['input_owner'] };
      const found = await page.get<Facets>('facets', query);
      for (const [name, valuesOf] of Object.entries(facetValues)) {
        const others = { ...chosen, [name]: [] };
        const counts: Record<string, number> = Object.fromEntries(
          Object.keys(countsOf(found, name)).map((value) => [value, 0]),
        );
        for (const record of exported.filter((row) => fits(row, search) && narrows(row, others))) {
          for (const value of valuesOf(record)) {
            if (value !== null) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
          }
        }
        expect(countsOf(found, name), name).toEqual(counts);
      }
    }),
    { numRuns: 60 },
  );
});

test('hostile searches find nothing and break nothing', async () => {
  const long = 'x'.repeat(10_000);
  const many = Array.from({ length: 2_000 }, (_, at) => `w${at}`).join(' ');
  for (const search of [long, many, "'; drop table entry; --", '"', '\\', 'a AND b', '{"a":1}']) {
    const found = await page.get<RowsPage>('rows', { job: 'leads.csv', search });
    const expected = exported.filter((row) => fits(row, search));
    expect(found.total, search.slice(0, 30)).toBe(expected.length);
  }
  expect(await page.status('rows', { job: 'leads.csv', sort: 'x; drop' })).toEqual([422, 'USAGE']);
  expect(await page.status('rows', { job: 'leads.csv', facets: 'no json' })).toEqual([
    400,
    'USAGE',
  ]);
  expect(await page.status('rows', { job: 'leads.csv', limit: 501 })).toEqual([400, 'USAGE']);
  expect(await page.status('rows', { job: 'leads.csv', run: 'r9' })).toEqual([422, 'RUN_MISSING']);
  expect(await page.status('row', { job: 'leads.csv', number: 91 })).toEqual([422, 'RUN_MISSING']);
});

test('the columns are those of the exported file, the own ones of the list first', async () => {
  const { columns: told, presets } = await page.get<TableColumns>('columns', { job: 'leads.csv' });
  expect(told.slice(0, 4).map(({ label }) => label)).toEqual(['Name', 'Website', 'Owner', 'Seats']);
  expect(told.map(({ name }) => name).sort()).toEqual(Object.keys(exported[0] ?? {}).sort());
  const labels = new Map(told.map(({ name, label }) => [name, label]));
  const short = presets[0]?.columns.map((name) => labels.get(name)) ?? [];
  expect(short.slice(0, 6)).toEqual([
    ...['Name', 'Outcome', 'Found company', 'Matched by', 'Country', 'Size'],
  ]);
  expect(short.at(-1)).toBe('Seats');
  const known = new Set(told.map(({ name }) => name));
  for (const preset of presets)
    expect(preset.columns.filter((name) => !known.has(name))).toEqual([]);
  for (const { name } of told.filter(({ isSortable }) => isSortable)) {
    expect((await page.status('rows', { job: 'leads.csv', sort: name, limit: 1 }))[0]).toBe(200);
  }
});

test('a row opens with its own cells, what was asked and the company', async () => {
  const whole = await page.get<WholeRow>('row', { job: 'leads.csv', number: 4 });
  expect(whole).toMatchObject({
    row: { number: 4, status: 'matched', match: 'mismatch', isMismatch: true, isChanged: null },
    list: [{ header: 'Name', cell: "O'Neil" }, { cell: 's3.com.au' }, {}, { cell: '21' }],
    identifiers: [
      { kind: 'fqdn', value: 's3.com.au', outcome: 'hit', source: 'called', attempts: 1 },
    ],
    company: { id: 'c_3', name: "O'Neil 3" },
    otherName: null,
    people: null,
  });
  const rejected = await page.get<WholeRow>('row', { job: 'leads.csv', number: 5 });
  expect(rejected).toMatchObject({
    row: { status: 'invalid', reason: 'freemail' },
    ...{ identifiers: [], company: null },
  });
  const missed = await page.get<WholeRow>('row', { job: 'leads.csv', number: 6 });
  expect(missed).toMatchObject({
    row: { status: 'not_found' },
    identifiers: [{ outcome: 'miss' }],
  });
});
