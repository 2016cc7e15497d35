import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadFiles } from '../../src/service/load-files.ts';
import { openStore } from '../../src/service/open-store.ts';
import { runDossier, succeeded } from '../support/run-dossier.ts';
import { companies, jsonl, people } from '../support/store-data.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const whole = jsonl([...companies, ...people]);

test.each([
  ['plain', Buffer.from(whole)],
  ['gzip', gzipSync(whole)],
  ['zstd', zstdCompressSync(whole)],
])('%s files are loaded', async (_, content) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'data');
  writeFileSync(path, content);
  using store = openStore(':memory:');
  expect(await loadFiles(store, [path])).toEqual({
    companies: companies.length,
    people: people.length,
    badLines: 0,
    share: 1,
  });
  expect(store.counts()).toEqual({ companies: companies.length, people: people.length });
});

const page = { companyId: 'c', country: 'AU', from: 0, size: 10 } as const;
const search = { ...page, seniority: null, department: null };

test('loading the same id again replaces it, also in the search', async () => {
  using store = openStore(':memory:');
  const person = { person_id: 'p', company_id: 'c', seniority: 1, department: 1 };
  await load(store, [
    { id: 'c', fqdn: 'old.com' },
    { ...person, position: 'Old title' },
  ]);
  await load(store, [
    { id: 'c', fqdn: 'new.com' },
    { ...person, position: 'New title' },
  ]);

  expect(store.counts()).toEqual({ companies: 1, people: 1 });
  expect(store.findCompany([{ column: 'fqdn', value: 'old.com' }], 'AU')).toBeUndefined();
  expect(String(store.findCompany([{ column: 'fqdn', value: 'new.com' }], 'AU'))).toBe(
    '{"id":"c","fqdn":"new.com"}',
  );
  expect(store.searchPeople({ ...search, position: 'old' })).toEqual([]);
  expect(store.searchPeople({ ...search, position: 'new' })).toHaveLength(1);
});

test('numbers keep every digit, and fields their order', async () => {
  using store = openStore(':memory:');
  const line = '{"z":1.0,"id":"c","big":12345678901234567890,"e":1e3,"a":"\\u0000\\ud800"}';
  await load(store, [line]);
  expect(String(store.findCompany([{ column: 'id', value: 'c' }], 'AU'))).toBe(line);

  const person =
    '{"n":1.50,"person_id":"p","company_id":"c","seniority":1,"linkedin":"x","department":1,"m":9007199254740993}';
  await load(store, [person]);
  expect(store.searchPeople(search)).toEqual([
    '{"n":1.50,"person_id":"p","network":"x","m":9007199254740993}',
  ]);
});

describe('the load command', () => {
  const bad = [
    ['nonsense', 'not JSON'],
    ['[1]', 'not a JSON object'],
    ['{"name": "no id"}', 'id: '],
    ['{"id": 7}', 'id: expected string, received number'],
    ['{"id": "c", "employee_count": "many"}', 'employee_count: expected'],
    ['{"id": "c", "nextGen": {"web_traffic": []}}', 'nextGen.web_traffic: expected'],
    ['{"person_id": "p", "seniority": 1, "department": 1}', 'company_id: '],
    ['{"person_id": "p", "company_id": "c", "seniority": 8, "department": 1}', 'seniority: '],
    [
      '{"person_id": "p", "company_id": "c", "seniority": 1, "department": 1, "country": "GB"}',
      'country: ',
    ],
  ] as const;

  test('reports bad lines by number, counts them and loads the rest', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'data.jsonl');
    const lines = ['{"id":"c_1"}', '', ...bad.map(([line]) => line), '{"id":"c_2"}'];
    writeFileSync(path, lines.join('\n'));
    const result = await succeeded(
      runDossier(['load', path, '--store', 'new/store.db', '--json'], {
        cwd: folder.path,
      }),
    );
    expect(JSON.parse(result.stdout)).toMatchObject({
      companies: 2,
      people: 0,
      badLines: bad.length,
    });
    for (const [index, [, problem]] of bad.entries()) {
      expect(result.stderr).toContain(`${path}:${index + 3}: ${problem}`);
    }
  });

  test('stops at the first bad line when it is strict, and keeps the lines before it', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'data.jsonl');
    writeFileSync(path, '{"id":"c_1"}\nnonsense\n{"id":"c_2"}\n');
    const store = join(folder.path, 'store.db');
    const result = await runDossier(['load', path, '--store', store, '--strict']);
    expect(result.exitCode).toBe(65);
    expect(result.stderr).toContain(`${path}:2: not JSON`);
    using opened = openStore(store);
    expect(opened.counts()).toEqual({ companies: 1, people: 0 });
  });

  test.each([
    [['load'], 64, 'load needs at least one file'],
    [['load', 'missing.jsonl'], 65, 'missing.jsonl does not exist'],
    [['load', '-', '--store', '/dev/null/store.db'], 74, 'cannot use the store'],
  ])('%j ends with %i and says why', async (args, exitCode, message) => {
    using folder = temporaryFolder();
    const result = await runDossier([...args], { cwd: folder.path });
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toContain(message);
  });

  test('ends with 65 when no line at all is good', async () => {
    using folder = temporaryFolder();
    const result = await runDossier(['load', '-'], { cwd: folder.path, input: 'a\nb\n' });
    expect(result.exitCode).toBe(65);
    expect(result.stderr).toContain(
      'no line could be loaded; the first error: standard input:1: not JSON',
    );
  });
});

async function load(store: ReturnType<typeof openStore>, lines: (object | string)[]) {
  using folder = temporaryFolder();
  const path = join(folder.path, 'data.jsonl');
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(path, texts.join('\n'));
  const loaded = await loadFiles(store, [path], { isStrict: true });
  expect(loaded.badLines).toBe(0);
}
