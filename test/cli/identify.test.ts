import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { identify as identifyCommand, startTally } from '../../src/cli/identify.ts';
import { identifyCell } from '../../src/core/identify/identify-cell.ts';
import { rendered } from '../support/rendered.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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
  using folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder.path, name), content);
  }
  const finished = await runDossier(['identify', ...args], {
    cwd: folder.path,
    ...(input !== undefined && { input }),
  });
  const lines = finished.stdout.split('\n').filter((line) => line !== '');
  return { ...finished, lines };
}

const parsed = (lines: readonly string[]): unknown[] => lines.map((line) => JSON.parse(line));

describe('values, one a line', () => {
  const expected = [
    { input: 'www.Acme.com', kind: 'fqdn', value: 'acme.com' },
    { input: '', reject: 'blank', message: 'The cell is empty or says that nothing is known.' },
    { input: 'ACN 4085616', kind: 'abn', value: '53004085616', derivedFrom: 'acn' },
  ];
  const text = 'www.Acme.com\n\nACN 4085616\n';

  test('are read from a pipe', async () => {
    const { exitCode, lines, stderr } = await identify(['-'], {}, text);
    expect(parsed(lines)).toEqual(expected);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  test('are read from a compressed text file', async () => {
    const files = { 'values.txt.gz': gzipSync(text) };
    expect(parsed((await identify(['values.txt.gz'], files)).lines)).toEqual(expected);
  });
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

  test('without a named column says which it took, and each line where it is from', async () => {
    const { lines, stderr } = await identify(['leads.csv'], { 'leads.csv': leads });
    expect(stderr).toBe(
      'leads.csv: taking ABN/ACN as abn (67% fit), Website as fqdn (67% fit); choose with --column\n',
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

  test('may be JSON lines, and may come through a pipe when a column is named', async () => {
    const jsonl = '{"name":"Acme","abn":"51824753556"}\n{"name":"Globex","site":"globex.com"}\n';
    const fromFile = await identify(['rows.jsonl', '--column', 'site'], { 'rows.jsonl': jsonl });
    expect(parsed(fromFile.lines)).toMatchObject([{ reject: 'blank' }, { value: 'globex.com' }]);
    const fromPipe = await identify(['-', '--column', 'abn', '--column', 'site'], {}, jsonl);
    expect(parsed(fromPipe.lines)).toMatchObject([
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
])('rows of %s that cannot be trusted are told of once', async (name, header) => {
  const rows = Array.from({ length: 9 }, (_, index) => `zo\u00eb${index}.com\n`).join('');
  const text = Buffer.from(`${header}acme.com\n${rows}`, 'latin1');
  const { lines, stderr } = await identify([name, '--as', 'fqdn'], { [name]: text });
  expect(parsed(lines)).toMatchObject([{ value: 'acme.com' }]);
  expect(stderr.match(/left out/g)).toHaveLength(1);
  expect(stderr).toContain(`${name}: 9 rows left out; the first: line `);
});

describe('--summary', () => {
  test('counts kinds, reasons and duplicates, with an example and what to do', async () => {
    const text = 'acme.com\nhttps://www.acme.com/\n51824753556\n065475149\njane@gmail.com\n';
    const { stdout } = await identify(['--summary'], {}, text);
    expect(stdout).toBe(
      [
        'standard input: 5 values',
        '',
        'accepted      4  80%',
        '  fqdn        2  acme.com',
        '  abn         2  51824753556',
        '  from ACN    1  of the abn above',
        '  duplicates  1  https://www.acme.com/',
        'rejected      1  20%',
        '  freemail    1  jane@gmail.com',
        '',
        'freemail: The address is with a mail provider for everyone, so it does not name',
        'a company. Use a work address or the website of the company.',
        '',
      ].join('\n'),
    );
  });

  test('with --json is one object', async () => {
    const { stdout } = await identify(['--summary', '--json'], {}, 'acme.com\nacme\nacme.com\n');
    expect(JSON.parse(stdout)).toEqual({
      values: 3,
      accepted: 2,
      rejected: 1,
      kinds: { fqdn: { count: 2, example: 'acme.com' } },
      reasons: { not_a_domain: { count: 1, example: 'acme' } },
      derived: 0,
      duplicates: { count: 1, example: 'acme.com' },
    });
  });
});

describe('what goes wrong is said with what to do', () => {
  test.each([
    [['leads.csv', '--column', 'Webs'], 64, 'has no column "Webs"; it has "Company", "ABN/ACN"'],
    [['names.csv'], 64, 'identifies companies, and names cannot be looked up; it has "Name"'],
    [['missing.csv'], 65, 'missing.csv does not exist'],
    [['book.xlsx'], 65, 'book.xlsx'],
    [['leads.csv', '--as', 'domain'], 64, '--as: expected one of id, abn, fqdn'],
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

function render(values: readonly string[], columns: number, summary = true): string[] {
  const tally = startTally();
  for (const value of values) tally.add(value, identifyCell(value, 'auto'));
  return rendered(identifyCommand, tally.counts(), columns, { file: 'a', summary }).split('\n');
}

const cells = [`https://acme.com/${'x'.repeat(300)}`, 'jane@gmail.com', '51824753557', 'n/a', ''];

test.each([40, 60, 80, 120, 200])('no line is wider than a terminal of %d columns', (columns) => {
  for (const line of render(cells, columns, false)) expect(line.length).toBeLessThan(columns);
});

test('control characters of a list do not reach the terminal', () => {
  expect(render(['\u001b]0;owned\u0007\u001b[31mx'], 80).join('')).not.toMatch(/\p{Cc}/u);
});

test('an empty list has no shares', () => {
  expect(render([], 80).join('\n')).toMatch(/^a: 0 values\n\naccepted +0\nrejected +0\n$/);
});

test('a value counts as a duplicate only within its own column', () => {
  const tally = startTally();
  const result = identifyCell('acme.com', 'auto');
  tally.add('acme.com', result, 'Website');
  tally.add('jane@acme.com', result, 'Email');
  tally.add('www.acme.com', result, 'Website');
  expect(tally.counts().duplicates).toEqual({ count: 1, example: 'www.acme.com' });
});
