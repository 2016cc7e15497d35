import { describe, expect, test } from 'vitest';
import { detectColumns } from '../../../src/job/from-list/detect-columns.ts';

const websites = [
  'https://www.acme.com.au/',
  'globex.com',
  'initech.co.nz/about',
  'http://hooli.com',
];
const hosts = ['acme.com.au', 'globex.com', 'initech.co.nz', 'hooli.com'];
const abns = ['51 824 753 556', '47065475149', '53 004 085 616', '51824753556'];
const acns = ['065 475 149', '004 085 616', '065475149', '004085616'];
const pages = [
  'https://www.linkedin.com/company/acme/',
  'linkedin.com/company/globex',
  'https://au.linkedin.com/company/initech',
  'https://www.linkedin.com/company/1035',
];
const people = [
  'linkedin.com/in/jane',
  'linkedin.com/in/joe',
  'linkedin.com/in/kim',
  'linkedin.com/in/lee',
];
const emails = ['jane@acme.com.au', 'joe@globex.com', 'kim@gmail.com', 'lee@hooli.com'];
const phones = ['0412 345 678', '02 9999 9999', '+61 3 9999 9999', '1300 655 506'];
const ninePhones = ['412345678', '299999999', '398765432', '412999888'];
const names = ['Acme Pty Ltd', 'Globex', 'Booking.com', 'Hooli Inc.'];
const dotComs = ['Booking.com', 'Monday.com', 'Cars.com', 'Bet.com.au'];
const news = ['abc.net.au/news/1', 'https://smh.com.au/a', 'https://afr.com/b', 'nzherald.co.nz/c'];
const revenues = ['51800000000', '12,500,000', '$1.2M', '5.18E+10'];
const texts = [
  'Sells pumps. See www.acme.com',
  'Consulting, advisory',
  'n/a',
  'Est. 1999 in Perth',
];

/** Detects over columns given by header: `{ Website: websites }`. */
function detect(columns: Record<string, readonly string[]>, header = Object.keys(columns)) {
  const values = Object.values(columns);
  const rows = Array.from({ length: 4 }, (_, row) => values.map((cells) => cells[row] ?? ''));
  return detectColumns(header, rows);
}

const found = (columns: Record<string, readonly string[]>) =>
  detect(columns).identify.map(({ column, as }) => `${column}: ${as}`);

describe('a column whose header has a hint', () => {
  test.each([
    ['Website', websites, 'fqdn'],
    ['domain', dotComs, 'fqdn'],
    ['ABN/ACN', [...abns.slice(0, 2), ...acns.slice(0, 2)], 'abn'],
    ['Biz No.', abns, 'abn'],
    ['LinkedIn URL', pages, 'ln_url'],
    ['LinkedIn', ['acme', 'globex', 'initech-ltd', 'hooli'], 'ln_slug'],
    ['email', emails, 'fqdn'],
    ['Website', [...hosts.slice(0, 3), pages[0]], 'auto'],
    ['Identifier', [abns[0], hosts[0], pages[1], hosts[1]], 'auto'],
  ] as [string, string[], string][])('%s is found', (header, cells, as) => {
    expect(found({ [header]: cells })).toEqual([`${header}: ${as}`]);
  });

  test('counts although most of its cells are dirty, and its share is low', () => {
    const dirty = ['51 824 753 556', '51824753557', '5182475355', '12345678901'];
    expect(detect({ ABN: dirty }).identify).toEqual([
      { index: 0, column: 'ABN', as: 'abn', share: 0.25 },
    ]);
  });

  test('is used even if a spreadsheet rounded every number, so its rows get a reason', () => {
    const rounded = ['5.18E+10', '4.70655E+10', '53004100000', '5.1E+10'];
    expect(detect({ ABN: rounded }).identify).toMatchObject([{ as: 'abn', share: 0 }]);
  });

  test.each([
    ['ABN', ['51824753557', '12345678901', '47065475140']],
    ['Biz No.', ['51824753557', '12345678901', '47065475140']],
  ])('%s %j is used although no number is valid, so its rows get a reason', (header, cells) => {
    expect(detect({ [header]: cells }).identify).toMatchObject([{ as: 'abn', share: 0 }]);
  });
});

describe('a column whose header has no hint', () => {
  test.each([
    ['websites', websites, 'fqdn'],
    ['ACNs', acns, 'abn'],
    ['network pages', pages, 'ln_url'],
    ['e-mail addresses', emails, 'fqdn'],
  ] as [string, string[], string][])('is found by its %s', (_, cells, as) => {
    for (const header of ['col_7', '', cells[0] ?? '']) {
      expect(detect({ x: cells }, [header]).identify).toMatchObject([{ column: header, as }]);
    }
  });
});

describe('a column that only looks like identifiers', () => {
  test.each([
    ['Phone', ninePhones],
    ['Business No.', ninePhones],
    ['col_1', phones],
    ['Revenue', revenues],
    ['Description', texts],
    ['Person Linkedin Url', people],
    ['Person LinkedIn', ['jane-doe', 'joe-b', 'kim', 'lee-1']],
    ['Company', names],
    ['Company', dotComs],
    ['Facebook', ['facebook.com/acme', 'fb.com/globex', 'facebook.com/x', 'facebook.com/y']],
    ['NZBN', ['9429036975273', '9429036975273', '', '']],
    ['Source URL', news],
    ['Source URL', ['seek.com.au/job/1', 'seek.com.au/job/2', 'seek.com.au/job/3', '']],
    ['Personal Email', ['jane@doe.net', 'joe@bloggs.org', 'kim@kim.io', 'lee@gmail.com']],
    ['File', ['report.zip', 'readme.md', 'notes.sh', 'plan.zip']],
    ['Id', ['1001', '1002', '1003', '1004']],
    ['Empty', ['', '', 'n/a', '']],
  ] as [string, string[]][])('is left alone: %s %j', (header, cells) => {
    expect(found({ [header]: cells })).toEqual([]);
  });
});

test('ids of the service are read as they are, alone or beside other identifiers', () => {
  const ids = ['c_5q7s4ezs', 'c_80lqwci0', 'c_458grnl0'];
  expect(found({ Company: ids })).toEqual(['Company: auto']);
  expect(found({ Key: [...ids, ...websites] })).toEqual(['Key: auto']);
});

test('the best identifier comes first, in any order of columns', () => {
  const columns = {
    Company: names,
    Email: emails,
    'LinkedIn URL': pages,
    Phone: phones,
    Website: websites,
    ABN: abns,
  };
  expect(found(columns)).toEqual([
    'ABN: abn',
    'Website: fqdn',
    'LinkedIn URL: ln_url',
    'Email: fqdn',
  ]);
});

test('a full column with a bad value comes before a sparse one without', () => {
  const sparse = ['', 'globex.com', '', ''];
  const mostlyGood = [...hosts.slice(0, 3), 'n,a'];
  expect(found({ Site: sparse, Domain: mostlyGood })).toEqual(['Domain: fqdn', 'Site: fqdn']);
});

test('a header in another language names a column of domains, however they are written', () => {
  expect(found({ Webseite: ['Acme.com.au', 'Beta.com.au', 'keine'] })).toEqual(['Webseite: fqdn']);
});

test.each(['Old website', 'Partner site', 'Parent domain', 'Previous Website', 'Competitor URL'])(
  '%s names another company, and is used only if there is nothing else',
  (header) => {
    expect(found({ [header]: hosts, Domain: websites })).toEqual(['Domain: fqdn']);
    expect(found({ Company: names, [header]: hosts })).toEqual([`${header}: fqdn`]);
  },
);

test('of two columns of one kind the one with the higher share comes first', () => {
  const patchy = ['acme.com', '', 'not yet', 'no site'];
  expect(found({ 'Web 1': patchy, 'Web 2': hosts })).toEqual(['Web 2: fqdn', 'Web 1: fqdn']);
});

describe('the country column', () => {
  test.each([
    ['Country', ['Australia', 'NZ', 'Viet Nam', ''], 1],
    ['country_code', ['AU', 'AU', 'NZ', 'SG'], 1],
    ['col_2', ['Australia', 'Singapore', 'AU', 'AU'], 1],
    ['Company Country', ['Germany', 'France', 'Italy', 'Spain'], 0],
  ] as [string, string[], number][])('%s %j is found', (header, cells, share) => {
    expect(detect({ Website: websites, [header]: cells }).country).toEqual({
      index: 1,
      column: header,
      share,
    });
  });

  test.each([
    ['State', ['NSW', 'CA', 'VIC', 'WA']],
    ['Region', ['CA', 'CA', 'ID', 'ID']],
    ['Language', ['th', 'id', 'th', 'id']],
    ['Country code', ['+61', '+64', '61', '1']],
    ['Company', names],
  ] as [string, string[]][])('%s %j is none', (header, cells) => {
    expect(detect({ Website: websites, [header]: cells }).country).toBeUndefined();
  });
});

test('rows of different widths are accepted, and so is a list without rows', () => {
  expect(detectColumns([], [])).toEqual({ identify: [] });
  expect(
    detectColumns(['a'], [['acme.com', 'x'], [], [undefined], ['globex.com', 'y']]).identify,
  ).toEqual([{ index: 0, column: 'a', as: 'fqdn', share: 1 }]);
});
