import { describe, expect, test } from 'vitest';
import { startTally } from '../../src/cli/identify.ts';
import { identifyCell } from '../../src/core/identify/identify-cell.ts';
import { openFolder } from '../support/work-folder.ts';

const leads = `Company,ABN/ACN,Website,Phone
Acme,51 824 753 556,https://www.acme.com.au/,0412 345 678
Globex,ACN 4085616,shop.globex.com,02 9999 9999
Booking.com,5.18E+10,facebook.com/booking,1300 655 506
`;

/** Runs `dossier identify` in a folder that holds the given files. */
async function identify(
  args: string[],
  files: Record<string, string | Buffer> = {},
  input?: string,
) {
  using folder = openFolder(files);
  const finished = await folder.dossier(
    ['identify', ...args],
    input === undefined ? {} : { input },
  );
  const lines = finished.stdout.split('\n').filter((line) => line !== '');
  return { ...finished, lines };
}

const parsed = (lines: readonly string[]): unknown[] => lines.map((line) => JSON.parse(line));

test('values are read from a pipe, one per line', async () => {
  const text = 'www.Acme.com\n\nACN 4085616\n';
  const { exitCode, lines, stderr } = await identify(['-'], {}, text);
  expect(parsed(lines)).toEqual([
    { input: 'www.Acme.com', kind: 'fqdn', value: 'acme.com' },
    { input: '', reject: 'blank', message: 'The cell is empty or says that the value is unknown.' },
    { input: 'ACN 4085616', kind: 'abn', value: '53004085616', derivedFrom: 'acn' },
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});

describe('a table', () => {
  test('gives one line for each row of the named column', async () => {
    const { lines, stderr } = await identify(['leads.csv', '--column', 'website'], {
      'leads.csv': leads,
    });
    expect(parsed(lines)).toEqual([
      { input: 'https://www.acme.com.au/', kind: 'fqdn', value: 'acme.com.au' },
      {
        input: 'shop.globex.com',
        kind: 'fqdn',
        value: 'globex.com',
        alternates: [{ kind: 'fqdn', value: 'shop.globex.com' }],
      },
      expect.objectContaining({ input: 'facebook.com/booking', reject: 'platform_page' }),
    ]);
    expect(stderr).toBe('');
  });

  test('without --column says which columns it reads, and each line names its row and column', async () => {
    const { lines, stderr } = await identify(['leads.csv'], { 'leads.csv': leads });
    expect(stderr).toBe(
      'leads.csv: reading ABN/ACN as ABN (67% fit), Website as Domain (67% fit); choose other columns with --column\n',
    );
    expect(lines).toHaveLength(6);
    expect(parsed(lines)[2]).toEqual({
      input: 'ACN 4085616',
      kind: 'abn',
      value: '53004085616',
      derivedFrom: 'acn',
      row: 2,
      column: 'ABN/ACN',
    });
  });

  test('may be JSON lines, with several columns', async () => {
    const jsonl = '{"name":"Acme","abn":"51824753556"}\n{"name":"Globex","site":"globex.com"}\n';
    const columns = ['--column', 'abn', '--column', 'site'];
    const { lines } = await identify(['rows.jsonl', ...columns], { 'rows.jsonl': jsonl });
    expect(parsed(lines)).toMatchObject([
      { row: 1, column: 'abn', value: '51824753556' },
      { row: 1, column: 'site', reject: 'blank' },
      { row: 2, column: 'abn', reject: 'blank' },
      { row: 2, column: 'site', value: 'globex.com' },
    ]);
  });
});

test.each([
  ['leads.csv', 'site\n'],
  ['leads.txt', ''],
])('unreadable rows of %s are reported once', async (name, header) => {
  const rows = Array.from({ length: 9 }, (_, index) => `zo\u00eb${index}.com\n`).join('');
  const text = Buffer.from(`${header}acme.com\n${rows}`, 'latin1');
  const { lines, stderr } = await identify([name, '--as', 'fqdn'], { [name]: text });
  expect(parsed(lines)).toMatchObject([{ value: 'acme.com' }]);
  expect(stderr.match(/left out/g)).toHaveLength(1);
  expect(stderr).toContain(`${name}: 9 rows left out; the first: line `);
});

test('--summary counts kinds, reasons and duplicates, with examples and fixes', async () => {
  const text = 'acme.com\nhttps://www.acme.com/\n51824753556\n065475149\njane@gmail.com\n';
  const { stdout } = await identify(['a.txt', '--summary'], { 'a.txt': text });
  expect(stdout).toMatch(/^values +5\naccepted +4\nrejected +1\nduplicates +1\nfrom acn +1\n/);
  expect(stdout).toContain('  kind    count  example\n  Domain      2  acme.com\n');
  expect(stdout).toContain('jane@gmail.com');
  expect(stdout).toContain('Use a work e-mail address');
  const files = { 'b.txt': 'acme.com\nacme\nacme.com\n' };
  const json = await identify(['b.txt', '--summary', '--json'], files);
  expect(JSON.parse(json.stdout)).toMatchObject({
    values: 3,
    accepted: 2,
    rejected: 1,
    duplicates: 1,
    fromAcn: 0,
    kinds: [{ kind: 'fqdn', count: 2, example: 'acme.com' }],
    reasons: [{ reject: 'not_a_domain', count: 1, example: 'acme' }],
  });
});

describe('a mistake', () => {
  test.each([
    [['leads.csv', '--column', 'Webs'], 64, 'has no column "Webs"; it has "Company", "ABN/ACN"'],
    [
      ['names.csv'],
      64,
      'identifies companies; columns: "Name". For company names: `dossier register load FILE…`',
    ],
    [['book.xlsx'], 65, 'book.xlsx'],
    [['leads.csv', '--as', 'abn', '--as', 'fqdn'], 64, '--as is given 2 times and --column 1'],
  ])('%j ends with %d', async (args, exitCode, message) => {
    const book = Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(64)]);
    const files = { 'leads.csv': leads, 'names.csv': 'Name\nAcme\nGlobex\n', 'book.xlsx': book };
    const finished = await identify(args, files);
    expect(finished.exitCode).toBe(exitCode);
    expect(finished.stderr).toContain(message);
    expect(finished.stderr).not.toContain('bug');
    expect(finished.stdout).toBe('');
  });
});

test('a value counts as a duplicate only within its own column', () => {
  const tally = startTally();
  const result = identifyCell('acme.com', 'auto');
  tally.add('acme.com', result, 'Website');
  tally.add('jane@acme.com', result, 'Email');
  tally.add('www.acme.com', result, 'Website');
  expect(tally.counts().duplicates).toBe(1);
});
