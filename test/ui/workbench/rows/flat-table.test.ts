import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type {
  RowNumbers,
  TableColumns,
  WholeRow,
} from '../../../../src/ui/workbench/api/answers.ts';
import { anyText } from '../../../support/any-text.ts';
import type { OpenUi } from '../../../support/open-ui.ts';
import { countsOf, numbersOf, sharedWorkbench, tableOf } from '../support/workbench-folder.ts';

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

const workbench = sharedWorkbench({
  react: (domain) =>
    domain.startsWith('unknown') ? undefined : { body: JSON.stringify(companyOf(domain)) },
  async fill({ write, dossier }) {
    write('leads.csv', list);
    await dossier('run', 'leads.csv', '--rate', 'none', '--format', 'jsonl');
  },
});
let ui: OpenUi;
let table: ReturnType<typeof tableOf>;
let exported: Exported[];

beforeAll(async () => {
  ui = workbench.ui;
  const file = join(workbench.folder.path, 'output/leads/companies.jsonl');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  exported = lines.map((line) => JSON.parse(line) as Exported);
  table = tableOf(ui, 'leads.csv');
  await table.untilWhole();
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
  input_owner: ({ input_owner }) => [input_owner ?? ''],
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
  anyText(3),
);
const choice = (...values: string[]) => fc.subarray(values);
const facets = fc.record(
  {
    status: choice('matched', 'not_found', 'invalid', 'open'),
    reason: choice('freemail', 'not_found'),
    matched_by: choice('fqdn', 'abn'),
    country: choice('AU', 'NZ'),
    company_company_size: choice('1-10', '11-50', 'unheard of'),
    input_owner: choice('', 'sales-1', 'sales-2'),
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

test('any search, facets and sort show and count the rows that the exported file has', async () => {
  const part = fc.record({ offset: fc.nat(100), limit: fc.integer({ min: 1, max: 100 }) });
  await fc.assert(
    fc.asyncProperty(searches, facets, sorting, part, async (search, chosen, sort, stretch) => {
      const fitting = exported.filter((row) => fits(row, search) && narrows(row, chosen));
      const expected = sort ? sorted(fitting, sort.sort, sort.descending) : fitting;
      const query = { search, facets: chosen, ...sort };
      const found = await table.rows({ ...query, ...stretch, columns: ['status', 'company_name'] });
      const seen = expected.slice(stretch.offset, stretch.offset + stretch.limit);
      expect({ total: found.total, numbers: numbersOf(found) }).toEqual({
        total: expected.length,
        numbers: seen.map(({ row_number }) => row_number),
      });
      expect(found.rows.map(({ cells }) => cells[1])).toEqual(
        seen.map(({ company_name }) => company_name),
      );
      const { numbers } = await table.answer<RowNumbers>('numbers', query);
      expect(numbers).toEqual(expected.map(({ row_number }) => row_number));
      const counted = await table.facets({ search, facets: chosen, openFacets: ['input_owner'] });
      for (const [name, valuesOf] of Object.entries(facetValues)) {
        const others = { ...chosen, [name]: [] };
        const counts: Record<string, number> = Object.fromEntries(
          Object.keys(countsOf(counted, name)).map((value) => [value, 0]),
        );
        for (const record of exported.filter((row) => fits(row, search) && narrows(row, others))) {
          for (const value of valuesOf(record)) {
            if (value !== null) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
          }
        }
        expect(countsOf(counted, name), name).toEqual(counts);
      }
    }),
    { numRuns: 40 },
  );
});

test('hostile searches find nothing and break nothing', async () => {
  const many = Array.from({ length: 2_000 }, (_, at) => `w${at}`).join(' ');
  const hostile = ['x'.repeat(10_000), many, "'; drop table rows; --"];
  for (const search of hostile) {
    const expected = exported.filter((row) => fits(row, search));
    expect((await table.rows({ search })).total, search.slice(0, 30)).toBe(expected.length);
  }
  // A column that the list lacks.
  expect((await table.rows({ facets: { input_region: ['North'] } })).total).toBe(0);
  expect((await table.rows({ sort: 'x; drop' })).total).toBe(rows);
  const refused = [
    await table.post('rows', { limit: 501 }),
    await tableOf(ui, 'leads.csv', 'r9').post('rows', {}),
    await ui.ask('row', { query: { job: 'leads.csv', number: '91' } }),
  ];
  expect(refused.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual([
    [400, 'USAGE'],
    [422, 'RUN_MISSING'],
    [422, 'RUN_MISSING'],
  ]);
});

test('the columns are those of the exported file, the own ones of the list first', async () => {
  const { columns: all, presets } = await table.answer<TableColumns>('columns', {});
  expect(all.slice(0, 4).map(({ label }) => label)).toEqual(['Name', 'Website', 'Owner', 'Seats']);
  expect(all.map(({ name }) => name).sort()).toEqual(Object.keys(exported[0] ?? {}).sort());
  const labels = new Map(all.map(({ name, label }) => [name, label]));
  expect(labels.get('company_website')).toBe('Website (found)');
  expect(new Set([...labels.values()].map((one) => one.toLowerCase())).size).toBe(all.length);
  for (const preset of presets) {
    expect(preset.columns.filter((name) => !labels.has(name))).toEqual([]);
  }
  const short = presets[0]?.columns.map((name) => labels.get(name)) ?? [];
  expect(short.slice(0, 6)).toEqual([
    'Name',
    'Outcome',
    'Found company',
    'Matched by',
    'Country',
    'Size',
  ]);
  expect(short.at(-1)).toBe('Seats');
  for (const { name } of all.filter(({ isSortable }) => isSortable)) {
    expect((await table.rows({ sort: name, limit: 1 })).total).toBe(rows);
  }
});

test('a row opens with its own cells, what was asked and the company', async () => {
  const open = async (number: number) =>
    (await ui.ask<WholeRow>('row', { query: { job: 'leads.csv', number: `${number}` } })).body;
  expect(await open(4)).toMatchObject({
    row: { number: 4, status: 'matched', match: 'mismatch', isChanged: false },
    list: [{ header: 'Name', cell: "O'Neil" }, { cell: 's3.com.au' }, {}, { cell: '21' }],
    identifiers: [{ kind: 'fqdn', value: 's3.com.au', result: 'matched' }],
    company: expect.arrayContaining([expect.objectContaining({ value: "O'Neil 3" })]),
    people: null,
  });
  expect(await open(5)).toMatchObject({
    row: { status: 'invalid', reason: 'freemail' },
    identifiers: [],
    company: null,
  });
  expect(await open(6)).toMatchObject({
    row: { status: 'not_found' },
    identifiers: [{ result: 'missed' }],
  });
});
