import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DossierError } from '../../src/core/errors.ts';
import { type LoadedJob, loadJob } from '../../src/job/load-job.ts';
import type { Environment } from '../../src/job/read-address.ts';
import { resolveJob } from '../../src/job/resolve-job.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const minimal = 'name: leads\ninput: {path: leads.csv}\n';

test('two keys are enough, and everything else has its default', () => {
  const { job } = load(minimal);
  expect(job).toMatchObject({
    name: 'leads',
    country: { default: 'AU' },
    limits: { rate: 10, concurrency: 8, timeout: 30_000, attempts: 4, maxWait: 900_000 },
    reuse: { companies: 30 * 86_400_000, misses: 7 * 86_400_000, people: 30 * 86_400_000 },
    output: { format: ['csv'], excelSafe: false, bom: false },
  });
  expect(job.people).toBeUndefined();
  expect(job.identify).toBeUndefined();
});

test('a loaded job gives the positions of its parts', () => {
  const loaded = load(`${minimal}identify:\n  - column: ABN\n`);
  expect(loaded.positionOf(['identify', 0, 'column'])).toBe('job.yaml:4:13');
  expect(loaded.positionOf(['ledger'])).toBeUndefined();
});

describe('variables', () => {
  test('fill in text, numbers and switches', () => {
    const text = `${minimal}ledger: \${DIR}/l.db\nlimits: {rate: "\${RATE}", attempts: "\${N:-2}"}\noutput:\n  bom: \${BOM}\n`;
    const { job } = load(text, { DIR: '/data', RATE: '2.5', BOM: 'true' });
    expect(job.ledger.path).toBe('/data/l.db');
    expect(job.limits).toMatchObject({ rate: 2.5, attempts: 2 });
    expect(job.output).toMatchObject({ bom: true });
  });

  test('stay text where text is expected', () => {
    expect(load(`name: \${NAME}\ninput: {path: "\${NAME}"}\n`, { NAME: '007' }).job).toMatchObject({
      name: '007',
      input: { path: '007' },
    });
  });

  test('that are not set are reported with their position', () => {
    expect(problemsOf(`${minimal}ledger: \${LEDGER_DIR}/l.db\n`)).toEqual([
      `job.yaml:3:9: ledger: the environment variable LEDGER_DIR is not set; set it, or write \${LEDGER_DIR:-default}`,
    ]);
  });

  test('that should name the service and do not leave a right job without one', () => {
    const text = `${minimal}service: {url: "\${DOSSIER_URL}"}\n`;
    const context = { flags: {}, env: {}, cwd: '/' };
    expect(() => resolveJob(load(text), context)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_MISSING',
        message: 'job.yaml:3:16: service.url: the environment variable DOSSIER_URL is not set',
      }),
    );
    const named = { ...context, flags: { url: 'embedded' } };
    expect(resolveJob(load(text), named).services[0].url).toBe('embedded');
  });

  test('that name the service or its key file may be missing where DOSSIER_URL and DOSSIER_API_KEY are set', () => {
    const text = `${minimal}service: {url: "\${NOPE}", keyFile: "\${NOPE}/key"}\n`;
    const env = { DOSSIER_URL: 'https://service.example', DOSSIER_API_KEY: 'k_of_the_shell' };
    expect(resolveJob(load(text, env), { flags: {}, env, cwd: '/' }).services[0]).toMatchObject({
      url: 'https://service.example',
      key: { from: 'environment', name: 'DOSSIER_API_KEY' },
    });
    expect(problemsOf(text)).toEqual([expect.stringContaining('service.keyFile')]);
  });

  test('never show their value', () => {
    const text = `${minimal}country: \${A}\nlimits: {rate: "\${B}"}\nservice: {url: "\${C}"}\n`;
    const problems = problemsOf(text, { A: 's3cret', B: 's3cret', C: 'https://u:s3cret@host' });
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain('s3cret');
  });
});

describe('the key', () => {
  test('stays a name: no job in memory holds it', () => {
    const { job } = load(`${minimal}service: {key: "\${MY_KEY}"}\n`, { MY_KEY: 's3cret' });
    expect(JSON.stringify(job)).not.toContain('s3cret');
    expect(job.service).toHaveProperty('key', `\${MY_KEY}`);
  });

  test.each(['sk_live_s3cret', `"\${K:-s3cret}"`, '[s3cret]'])(
    'may not be written into the file as %s, and is not repeated',
    (literal) => {
      const [problem = '', ...others] = problemsOf(`${minimal}service:\n  key: ${literal}\n`);
      expect(others).toEqual([]);
      expect(problem).toContain('job.yaml:4:8: service.key: expected the name of an environment');
      expect(problem).not.toContain('s3cret');
    },
  );

  test('has one source', () => {
    expect(problemsOf(`${minimal}service: {key: "\${K}", keyFile: k}\n`)).toEqual([
      'job.yaml:3:33: service.keyFile: expected either key or keyFile, not both, found "k"',
    ]);
  });
});

describe('mistakes are reported with line, column and a remedy', () => {
  test.each([
    ['limts: {rate: 1}', '3:1: limts: unknown key; did you mean "limits"?'],
    [
      'service: {price: {currency: AUD, company: 0,12}}',
      '3:11: service.price.12: unknown key; write numbers with a point, such as 0.12',
    ],
    ['rate: 10', '3:1: rate: unknown key; did you mean "limits.rate"?'],
    [
      'people: {page_size: 5}',
      '3:10: people.page_size: unknown key; did you mean "people.pageSize"?',
    ],
    ['country: {colunm: C}', '3:1: country.column: missing; expected the name of a column'],
    ['ledger: 0123', 'every: …}, found the number 0123'],
    ['identify: [{column: 51824753556}]', 'found the number 51824753556'],
    ['identify: [{column: abn, as: abm}]', 'found "abm"; did you mean "abn"?'],
    ['identify: abn', 'identify: expected a list of one or more columns, found "abn"'],
    ['identify: {column: abn}', 'found keys with values'],
    ['country: au', 'found "au"; did you mean "AU"?'],
    ['people:', 'people: expected keys with values, found nothing'],
    ['people: {seniority: 8}', 'people.seniority: expected a whole number from 1 to 7'],
    ['limits: {timeout: 30}', 'such as 30s, 15m, 2h or 30d, found the number 30'],
    ['limits: {timeout: 2h}', 'limits.timeout: expected a time from 100ms to 1h'],
    ['limits: {rate: 0}', 'limits.rate: expected calls a second, from 0.01 to 5000, or none'],
    ['limits: {concurrency: "many"}', 'expected a whole number from 1 to 256, found "many"'],
    ['reuse: {frobnicate: 1}', 'expected one of reuse.companies, reuse.misses, reuse.people'],
    [
      'budget: {timezone: Australia/Sidney}',
      'expected a time zone such as UTC or Australia/Sydney, found "Australia/Sidney"; did you mean "Australia/Sydney"?',
    ],
    [
      'service: {price: {company: 0.1234567, currency: AUD}}',
      'expected a price from 0 to 1000 with at most six decimals, such as 0.12, found the number 0.1234567',
    ],
    ['budget: {perDay: 1.5}', 'expected a whole number, 0 or more, found the number 1.5'],
    [
      'changes: {include: [company_nmae, company_next_gen_*, input_notes, status]}',
      '3:21: changes.include[0]: expected a column of companies or people that can be compared',
    ],
    [
      'output: {columns: [lead-list, company_nmae, input_notes, company_next_gen_*]}',
      '3:31: output.columns[1]: expected a column of the companies or people table, a pattern such as',
    ],
    ['output: {columns: lead_list}', 'found "lead_list"; did you mean "lead-list"?'],
    ['output: {delimiter: ":"}', 'output.delimiter: expected a comma, ;, | or tab'],
    ['changes: {include: traffic_*}', 'or a pattern such as company_next_gen_*, found "traffic_*"'],
    ['service: {adapter: company-dta}', 'found "company-dta"; did you mean "company-data"?'],
    ['output: {format: cvs}', 'found "cvs"; did you mean "csv"?'],
    ['output: {excelSafe: yes}', 'expected true or false, found "yes"'],
    ['output: [{path: out, schema: x}]', 'output[0].schema: expected no schema without postgres'],
    ['output: [{postgres: "postgres://h/d", format: csv}]', 'no format beside postgres'],
    ['output: {postgres: "mysql://u:hunter22@h/d"}', 'postgres://user:password@host:5432/database'],
    ['output: [{postgres: "postgres://h/d", schema: Bad-Name}]', 'the name of a schema: a-z, 0-9'],
    ['output: [{pth: x}]', 'output[0].pth: unknown key; did you mean "output[].path"?'],
    ['output: [{path: "s3://u:hunter22@bucket/x"}]', 'credentials come from the environment'],
    ['output: s3://bucket/x', 'expected keys with values, or a list of destinations'],
    ['output: {path: "out/{day}"}', 'with only {date}, {run} or {job} in braces'],
    ['service: {url: "https://u:s3cret@x.com"}', 'password, ? or #, found something else'],
    [
      'reference: {seniority: {9: Gods}}',
      '3:25: reference.seniority.9: expected an id from 1 to 7',
    ],
    ['name: other', '3:1: this key appears twice'],
    ['\tledger: x', 'indented with a tab; YAML requires spaces'],
    [`limits: {rate: \${RATE}}`, '3:17: this is unexpected here'],
    ['ledger: *nowhere', '3:9: ledger: this alias has no matching anchor (&) above it'],
    ['ledger: &a [*a]', '3:13: ledger[0]: this alias has no matching anchor (&) above it'],
    ['ledger: !env X', 'YAML tags, which begin with !, are not supported'],
    ['__proto__: {polluted: true}', '3:1: __proto__: unknown key'],
    [
      'output: [&a {path: a, bom: 3}, *a]',
      '3:32: output[1].bom: expected true or false, but the YAML alias stands for something else',
    ],
    ['---\nname: two', '3:1: a file holds one job'],
  ])('%s', (line, expected) => {
    expect(problemsOf(`${minimal}${line}\n`).join('\n')).toContain(expected);
  });

  test('all at once, in the order of the file', () => {
    expect(problemsOf('nam: x\ninput: {}\nlimits: {rate: -1}\n').map(placeOnly)).toEqual([
      'job.yaml:1:1',
      'job.yaml:1:1',
      'job.yaml:2:1',
      'job.yaml:3:16',
    ]);
  });

  test('a few lines of aliases cannot grow into millions of values', () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh'].map((pair) => [...pair])) {
      lines.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(', ')}]`);
    }
    expect(problemsOf(lines.join('\n'))).toEqual([
      expect.stringContaining('the aliases in this file expand to too much data'),
    ]);
  });
});

describe('an invalid job file', () => {
  test.each([
    [
      'a CSV file',
      'name,website\nAcme,acme.com\n',
      'expected keys with values, found "name,website',
    ],
    ['a workbook', 'PK\u0003\u0004\u0000\u0000', 'this looks like data, not a job file'],
    ['a huge file', '# '.repeat(200_000), 'this looks like data, not a job file'],
    ['an empty file', '', 'this file is empty'],
    ['a list', '- 1\n- 2\n', 'expected keys with values, found a list'],
  ])('%s is refused', (_, text, message) => {
    expect(() => load(text)).toThrow(message);
  });

  test('bytes that are not UTF-8 are refused, with the remedy', () => {
    expect(() => load(Buffer.from('name: caf\xe9\n', 'latin1'))).toThrow('save it as UTF-8');
  });
});

function load(content: string | Buffer, env: Environment = {}): LoadedJob {
  using folder = temporaryFolder();
  const path = join(folder.path, 'job.yaml');
  writeFileSync(path, content);
  try {
    const loaded = loadJob(path, env);
    return { ...loaded, positionOf: (part) => loaded.positionOf(part)?.replace(path, 'job.yaml') };
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    expect(error.code).toBe('JOB_INVALID');
    throw new DossierError(error.code, error.message.replaceAll(path, 'job.yaml'));
  }
}

/** The lines that a refused job is reported with, one for each problem. */
function problemsOf(text: string, env: Environment = {}): string[] {
  try {
    load(text, env);
  } catch (error) {
    return (error as DossierError).message.split('\n').slice(1);
  }
  throw new Error('the job was accepted');
}

function placeOnly(line: string): string {
  return line.split(': ')[0] ?? '';
}
