import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { countries } from '../../src/core/contract/countries.ts';
import { departmentNames, seniorityNames } from '../../src/core/contract/reference.ts';
import { DossierError } from '../../src/core/errors.ts';
import { readings } from '../../src/core/identify/identifier.ts';
import { Job, type JobInput } from '../../src/job/job-schema.ts';
import { loadJob } from '../../src/job/load-job.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const anyText = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    '0123',
    'null',
    'true',
    'no',
    '1e3',
    '~',
    '- a',
    'a: b',
    '# x',
    '*a',
    `\${X}`,
    ' ',
  ),
);
const anyName = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/);
const anyPath = anyText.filter((text) => !/[{}]/.test(text));
const anyCountry = fc.constantFrom(...countries);
const anyTime = fc.constantFrom('500ms', '30s', '15m', '1h', '20m 30s');
const anyShelfLife = fc.constantFrom(0 as const, 'forever', '30d', '1.5h', '2w');
const anyFormat = fc.constantFrom('csv' as const, 'jsonl' as const, 'parquet' as const);
const someOf = <Item>(item: fc.Arbitrary<Item>) =>
  fc.oneof(item, fc.array(item, { minLength: 1, maxLength: 3 }));
const group = <Shape extends object>(model: { [Key in keyof Shape]: fc.Arbitrary<Shape[Key]> }) =>
  fc.record(model, { requiredKeys: [] });

const anyJob = fc.record(
  {
    name: anyName,
    service: group({
      url: fc.constantFrom('embedded', 'https://data.example.com/v1', 'http://127.0.0.1:8080'),
      key: fc.constantFrom(`\${DOSSIER_API_KEY}`, `\${OTHER_KEY}`),
    }),
    input: fc.record(
      {
        path: anyText,
        format: fc.constantFrom('csv' as const, 'jsonl' as const),
        delimiter: fc.constantFrom(',', ';', '\t', '|', ':', '#'),
        encoding: fc.constantFrom('utf-8', 'utf-16le', 'windows-1252', 'shift_jis'),
        header: fc.boolean(),
      },
      { requiredKeys: ['path'] },
    ),
    identify: fc.array(
      fc.record(
        { column: anyText, as: fc.constantFrom(...readings) },
        { requiredKeys: ['column'] },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    country: fc.oneof(
      anyCountry,
      fc.record({ column: anyText, default: anyCountry }, { requiredKeys: ['column'] }),
    ),
    people: group({
      seniority: someOf(
        fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constantFrom(...Object.values(seniorityNames))),
      ),
      department: someOf(
        fc.oneof(
          fc.integer({ min: 1, max: 17 }),
          fc.constantFrom(...Object.values(departmentNames)),
        ),
      ),
      position: someOf(anyText),
      pageSize: fc.integer({ min: 1, max: 100 }),
      maxPerCompany: fc.integer({ min: 1, max: 5000 }),
    }),
    onMismatch: fc.constantFrom('keep' as const, 'reject' as const),
    limits: group({
      rate: fc.oneof(
        fc.constant('none' as const),
        fc.double({ min: 0.01, max: 5000, noNaN: true }),
      ),
      concurrency: fc.integer({ min: 1, max: 256 }),
      timeout: anyTime,
      attempts: fc.integer({ min: 1, max: 20 }),
      maxWait: anyTime,
    }),
    budget: group({
      perStart: fc.nat(),
      perDay: fc.nat(),
      perMonth: fc.nat(),
      timezone: fc.constantFrom('UTC', 'Australia/Sydney', 'America/St_Johns'),
    }),
    reuse: group({ companies: anyShelfLife, misses: anyShelfLife, people: anyShelfLife }),
    output: group({
      path: anyPath,
      format: someOf(anyFormat),
      compress: fc.constantFrom('none' as const, 'gzip' as const, 'zstd' as const),
      excelSafe: fc.boolean(),
      bom: fc.boolean(),
    }),
    ledger: anyPath,
  },
  { requiredKeys: ['name', 'input'] },
);

test('any job, written as YAML and loaded, is the same job', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'job.yaml');
  fc.assert(
    fc.property(anyJob, fc.boolean(), (job, isFlow) => {
      writeFileSync(path, writeYaml(job, isFlow));
      expect(loadJob(path, {}).job).toEqual(Job.parse(job));
    }),
    { numRuns: 100 },
  );
});

test('any misspelt key is reported with its position', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'job.yaml');
  fc.assert(
    fc.property(anyJob, fc.nat(), fc.nat(), fc.boolean(), (job, which, how, isFlow) => {
      const text = writeYaml(misspell(job, which, how), isFlow);
      writeFileSync(path, text);
      const error = errorOf(() => loadJob(path, {}));
      expect(error).toMatchObject({ code: 'JOB_INVALID' });
      expectPlacesInside(error.message, path, text);
      expect(error.message).toContain('unknown key');
    }),
    { numRuns: 100 },
  );
});

test('a damaged file is a job or a problem with a position, never a crash', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'job.yaml');
  const anyDamage = fc.constantFrom(
    '',
    ' ',
    '\t',
    '\n',
    ':',
    '"',
    "'",
    '{',
    ']',
    '&a ',
    '*a',
    '- ',
    '$',
    '%',
    '!x ',
    '---\n',
    '|',
    '\u0085',
  );
  fc.assert(
    fc.property(anyJob, fc.nat(), anyDamage, fc.nat(4), (job, where, damage, lost) => {
      const whole = writeYaml(job, false);
      const at = where % whole.length;
      const text = `${whole.slice(0, at)}${damage}${whole.slice(at + lost)}`;
      writeFileSync(path, text);
      try {
        loadJob(path, {});
      } catch (error) {
        expect(error).toBeInstanceOf(DossierError);
        expectPlacesInside((error as DossierError).message, path, text);
      }
    }),
    { numRuns: 150 },
  );
});

function writeYaml(job: object, isFlow: boolean): string {
  // Dollar signs begin variables, except in the key, which is the name of one.
  const escaped = JSON.parse(
    JSON.stringify(job, (key, value: unknown) =>
      typeof value === 'string' && key !== 'key' ? value.replaceAll('$', '$$$$') : value,
    ),
  ) as JobInput;
  return stringify(escaped, { collectionStyle: isFlow ? 'flow' : 'any' });
}

/** Adds a letter, drops one or doubles one in one key of the job. */
function misspell(job: object, which: number, how: number): object {
  const keys = keysOf(job);
  const chosen = which % keys.length;
  let seen = -1;
  const change = (key: string) =>
    [`${key}x`, key.slice(0, -1) || 'q', `${key[0]}${key}`][how % 3] ?? key;
  const rebuild = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rebuild);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inside]) => {
        seen += 1;
        return [seen === chosen ? change(key) : key, rebuild(inside)];
      }),
    );
  };
  return rebuild(job) as object;
}

function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) => [key, ...keysOf(inside)]);
}

function errorOf(action: () => unknown): DossierError {
  try {
    action();
  } catch (error) {
    return error as DossierError;
  }
  throw new Error('nothing was thrown');
}

function expectPlacesInside(message: string, path: string, text: string): void {
  const lines = text.split('\n');
  const places = [...message.matchAll(/^.*?job\.yaml:(\d+):(\d+): /gm)];
  expect(places.length, message).toBeGreaterThan(0);
  expect(message).toContain(path);
  for (const [, line, column] of places) {
    const length = lines[Number(line) - 1]?.length;
    expect(length, `${message}\n${text}`).toBeDefined();
    expect(Number(column)).toBeGreaterThanOrEqual(1);
    expect(Number(column)).toBeLessThanOrEqual((length ?? 0) + 1);
  }
}
