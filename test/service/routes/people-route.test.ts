import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countries } from '../../../src/core/contract/countries.ts';
import { problems } from '../../../src/core/contract/problem.ts';
import { type LoadedService, loadedService } from '../../support/loaded-service.ts';
import { people } from '../../support/store-data.ts';

let served: LoadedService;
beforeAll(async () => {
  served = await loadedService();
});
afterAll(() => served[Symbol.asyncDispose]());

interface Match {
  person_id: string;
}

async function idsOf(search: Record<string, unknown>): Promise<string[]> {
  const { status, body } = await served.search({ companyId: 'c_full', size: '100', ...search });
  expect(status).toBe(200);
  return (body as Match[]).map((person) => person.person_id);
}

type Loaded = { person_id: string; seniority: number; department: number; position?: string };
const ofFullCompany = people.filter((person) => person.company_id === 'c_full') as Loaded[];

function inOrder(found: readonly Loaded[]): string[] {
  return found
    .toSorted((a, b) => a.seniority - b.seniority || (a.person_id < b.person_id ? -1 : 1))
    .map((person) => person.person_id);
}

test('a person comes back without the fields that only loading needs', async () => {
  const { body } = await served.search({ companyId: 'c_full', size: '1' });
  const { company_id, seniority, department, ...match } = people[0] as Record<string, unknown>;
  expect(body).toEqual([match]);
});

test('pages of 90 over 260 people give each person once, in order', async () => {
  const pages = [];
  for (const from of ['0', '90', '180', '270']) {
    pages.push(await idsOf({ from, size: '90' }));
  }
  expect(pages.map((page) => page.length)).toEqual([90, 90, 80, 0]);
  expect(pages.flat()).toEqual(inOrder(ofFullCompany));
});

test('a page holds 10 people when the size is not given', async () => {
  const { body } = await served.search({ companyId: 'c_full' });
  expect(body).toHaveLength(10);
});

test('filters work alone and combined', async () => {
  const cases: [Record<string, string>, (person: Loaded) => boolean][] = [
    [{ seniority: '3' }, (person) => person.seniority === 3],
    [{ department: '17' }, (person) => person.department === 17],
    [{ position: 'chief engineer' }, (person) => person.position === 'Chief Engineer'],
    [
      { seniority: '3', department: '3' },
      (person) => person.seniority === 3 && person.department === 3,
    ],
    [
      { seniority: '1', position: 'sales' },
      (person) => person.seniority === 1 && /sales/i.test(person.position ?? ''),
    ],
    [
      { seniority: '5', department: '9', position: 'Sales head' },
      (person) =>
        person.seniority === 5 && person.department === 9 && person.position === 'Head of Sales',
    ],
  ];
  for (const [filters, fits] of cases) {
    const expected = inOrder(ofFullCompany.filter(fits));
    expect((await idsOf({ ...filters })).slice(0, 100), JSON.stringify(filters)).toEqual(
      expected.slice(0, 100),
    );
    expect(expected.length, JSON.stringify(filters)).toBeGreaterThan(0);
  }
});

test.each([
  ['Head of Sales', 65],
  ['SALES HEAD', 65],
  ['apac manager', 65],
  ['naive cafe', 65],
  ['Café', 65],
  ['Sale', 0],
  ['engineer plumber', 0],
])('position %j matches by words: %i people', async (position, count) => {
  expect(await idsOf({ position })).toHaveLength(count);
});

test.each([
  'sales OR engineer',
  'sales NOT head',
  'sal*',
  'position:sales OR company:x',
  'NEAR(sales head)',
  "sales' or '1'='1",
  'sales) OR (engineer',
  '{position}: sales engineer',
  '***',
  '"',
  '\u0000',
])('query syntax in a position is only words: %j', async (position) => {
  expect(await idsOf({ position })).toEqual([]);
});

test.each(['"Chief-Engineer"!', '^chief', '"engineer', 'engineer*'])(
  'marks around a word do not hide it: %j',
  async (position) => {
    expect(await idsOf({ position })).toHaveLength(65);
  },
);

test('a search stays inside its company', async () => {
  const { body } = await served.search({ companyId: 'c_small', position: 'level c' });
  expect(body).toMatchObject([{ person_id: 'q_3' }]);
});

test('people with a country are found under it, the others under every country', async () => {
  expect(await idsOf({ companyId: 'c_small' })).toEqual(['q_2', 'q_3']);
  expect(await idsOf({ companyId: 'c_small', selectedCountry: 'NZ' })).toEqual(['q_1', 'q_3']);
  expect(await idsOf({ companyId: 'c_small', selectedCountry: 'jp' })).toEqual(['q_3']);
});

test.each(countries)('%s is a country to search against', async (selectedCountry) => {
  expect(await idsOf({ selectedCountry })).toHaveLength(100);
});

test('an unknown company has no people', async () => {
  expect(await idsOf({ companyId: 'c_none' })).toEqual([]);
  expect(await idsOf({ companyId: "c_full' or 1=1 --" })).toEqual([]);
  expect(await idsOf({ companyId: '" OR position : "sales', position: 'sales' })).toEqual([]);
});

test('numbers are taken for the strings that the interface wants', async () => {
  expect(await idsOf({ seniority: 3, from: 0, size: 5 })).toHaveLength(5);
});

test('blank filters count as absent', async () => {
  expect(await idsOf({ seniority: '', department: null, position: ' ' })).toHaveLength(100);
});

test('a page of size 0 is empty', async () => {
  expect(await idsOf({ size: '0' })).toEqual([]);
});

describe('errors', () => {
  test.each([
    [{ companyId: undefined }, problems.COMPANY_ID_MISSING],
    [{ companyId: '' }, problems.COMPANY_ID_MISSING],
    [{ companyId: null }, problems.COMPANY_ID_MISSING],
    [{ companyId: ['c_full'] }, problems.COMPANY_ID_MISSING],
    [{ seniority: '0' }, problems.SENIORITY_UNKNOWN],
    [{ seniority: '8' }, problems.SENIORITY_UNKNOWN],
    [{ seniority: 'C-Suite' }, problems.SENIORITY_UNKNOWN],
    [{ seniority: '1.0' }, problems.SENIORITY_UNKNOWN],
    [{ department: '0' }, problems.DEPARTMENT_UNKNOWN],
    [{ department: '18' }, problems.DEPARTMENT_UNKNOWN],
    [{ department: ['2'] }, problems.DEPARTMENT_UNKNOWN],
    [{ selectedCountry: 'GB' }, problems.COUNTRY_UNSUPPORTED],
    [{ selectedCountry: 'Australia' }, problems.COUNTRY_UNSUPPORTED],
    [{ from: '-1' }, problems.FROM_INVALID],
    [{ from: '1.5' }, problems.FROM_INVALID],
    [{ from: 'abc' }, problems.FROM_INVALID],
    [{ from: '1e3' }, problems.FROM_INVALID],
    [{ from: '99999999999999999999' }, problems.FROM_INVALID],
    [{ from: '1000000001' }, problems.FROM_INVALID],
    [{ size: '101' }, problems.SIZE_INVALID],
    [{ size: '-5' }, problems.SIZE_INVALID],
    [{ size: '2.5' }, problems.SIZE_INVALID],
    [{ size: 'ten' }, problems.SIZE_INVALID],
    [{ size: ' 10' }, problems.SIZE_INVALID],
    [{ position: { a: 1 } }, problems.POSITION_INVALID],
    [{ position: true }, problems.POSITION_INVALID],
    [{ position: 'a '.repeat(400_000) }, problems.POSITION_INVALID],
  ])('%j is a 400', async (change, problem) => {
    const answer = await served.search({ companyId: 'c_full', ...change });
    expect(answer).toMatchObject({ status: 400, body: problem });
  });

  test.each([
    '',
    '{',
    '{"companyId": "c_full",}',
    'null',
    '[]',
    '"text"',
    '{"__proto__": {"a": 1}}',
  ])('a body that is no JSON object is a 400: %j', async (body) => {
    expect(await served.search(body)).toMatchObject({ status: 400, body: problems.BODY_NOT_JSON });
  });

  test('a body of 3 MB is a 413', async () => {
    const answer = await served.search(JSON.stringify({ companyId: 'x'.repeat(3_000_000) }));
    expect(answer).toMatchObject({ status: 413, body: problems.BODY_TOO_LARGE });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'junk'])(
    'a body of type %s is a 415',
    async (type) => {
      const answer = await served.search('{"companyId":"c_full"}', { 'content-type': type });
      expect(answer).toMatchObject({ status: 415, body: problems.BODY_TYPE_UNSUPPORTED });
    },
  );
});
