import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { JobFlags } from '../../../src/job/job-flags.ts';
import { loadJob } from '../../../src/job/load-job.ts';
import { resolveJob } from '../../../src/job/resolve-job.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { planJob } from '../../../src/run/plan-job.ts';
import { runJob } from '../../../src/run/run-job.ts';
import { answeredBy, companyOfDomain } from '../../support/run-parts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openFolder } from '../../support/work-folder.ts';
import { exportOf } from '../nights.ts';

const list = 'website\nacme.com\n';
const correction =
  '{"row_key":"1","column":"website","was":"a","now":"acme.com","at":"2026-01-01T00:00:00Z"}\n';

interface Threatened {
  readonly file: string;
  readonly text?: string;
  readonly name?: string;
  /** Added to the job. */
  readonly job: object;
  readonly flags?: JobFlags;
  /** A second name of the file. */
  readonly link?: string;
}

const threatened: Record<string, Threatened> = {
  'a list among the results': { file: 'out/companies.csv', job: {} },
  'a list behind a link': { file: 'out/companies.csv', link: 'today.csv', job: {} },
  'a folder behind a link': {
    file: 'data/companies.csv',
    link: 'out/companies.csv',
    job: { input: { path: 'data/companies.csv' } },
  },
  'a list in the folder of its job': {
    file: 'out/leads/rejects.csv',
    job: { output: { path: 'out/{job}' } },
  },
  'a list called manifest.json': {
    file: 'out/manifest.json',
    text: '{"website":"acme.com"}\n',
    job: {},
  },
  'a list that --input names': { file: 'out/rejects.csv', job: {}, flags: { input: '' } },
  'a list among those of a try': { file: 'out/try/companies.csv', job: {}, flags: { limit: '1' } },
  'a list among the held results': { file: 'out/held-r1/companies.csv', job: {} },
  'a workbook': {
    file: 'out/workbook.xlsx',
    text: list,
    job: {
      input: { path: 'out/workbook.xlsx', format: 'csv' },
      output: { path: 'out', format: 'xlsx' },
    },
  },
  'a suppression list': {
    file: 'out/rejects.csv',
    text: 'globex.com\n',
    name: 'the suppression list',
    job: { input: { path: 'leads.csv' }, suppress: 'out/rejects.csv' },
  },
  'a file of corrections': {
    file: 'out/changes.jsonl',
    text: correction,
    name: 'the file of corrections',
    job: {
      input: { path: 'leads.csv', corrections: 'out/changes.jsonl' },
      output: { path: 'out', format: 'jsonl' },
    },
  },
  'a key file': {
    file: 'out/people.csv',
    text: 'k_secret',
    name: 'the key file',
    job: {
      input: { path: 'leads.csv' },
      service: { url: 'http://127.0.0.1:9', keyFile: 'out/people.csv' },
    },
  },
};

test.each(Object.entries(threatened))('no result replaces %s', async (_, given) => {
  using folder = temporaryFolder();
  const { file, text = list, name = 'the list', job, flags = {}, link } = given;
  const at = (path: string) => join(folder.path, path);
  const write = (path: string, content: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  };
  write('leads.csv', list);
  write(file, text);
  if (link?.includes('/')) symlinkSync(dirname(at(file)), dirname(at(link)));
  else if (link) symlinkSync(at(file), at(link));
  const path = flags.input === undefined ? (link ?? file) : 'leads.csv';
  const own = { name: 'leads', input: { path }, output: { path: 'out' }, ledger: 'ledger.db' };
  write('job.yaml', JSON.stringify({ service: { url: 'http://127.0.0.1:9' }, ...own, ...job }));
  const open = (changes: JobFlags = {}) =>
    resolveJob(loadJob(at('job.yaml'), {}), {
      flags: { ...flags, ...(flags.input === '' && { input: at(file) }), ...changes },
      env: {},
      cwd: folder.path,
    });
  let calls = 0;
  const parts = answeredBy((call) => {
    calls += 1;
    return companyOfDomain(call);
  });
  const refusal = {
    code: 'JOB_INVALID',
    message: expect.stringMatching(
      `^${name} .+ would be replaced by .+: choose another output.path`,
    ),
  };
  await expect(planJob(open(), { clock: systemClock })).rejects.toMatchObject(refusal);
  await expect(runJob(open(), parts)).rejects.toMatchObject(refusal);
  expect(calls).toBe(0);
  // Results elsewhere are as good as ever; only writing them here is refused.
  await runJob(open({ output: at('elsewhere') }), parts);
  await expect(exportOf(open())).rejects.toMatchObject(refusal);
  expect(readFileSync(at(file), 'utf8')).toBe(text);
});

test('a ledger never takes the place of a result, but a result of yesterday may be the list', async () => {
  using folder = openFolder({
    'leads.csv': list,
    'job.yaml':
      'name: leads\ninput: {path: leads.csv}\noutput: {path: out}\nledger: out/companies.csv\n',
    'dated.yaml':
      'name: dated\ninput: {path: "out/2026-01-01/companies.csv"}\noutput: {path: "out/{date}"}\n',
    'out/2026-01-01/companies.csv': list,
  });
  const env = { DOSSIER_URL: 'embedded' };
  const refused = await folder.dossier('run job.yaml', { env });
  expect(refused).toMatchObject({
    exitCode: 78,
    stderr: expect.stringContaining(
      'the ledger out/companies.csv would be replaced by out/companies.csv: choose another output.path',
    ),
  });
  expect(await folder.dossier('check job.yaml', { env })).toMatchObject({ exitCode: 78 });
  expect(await folder.dossier('run dated.yaml', { env })).not.toMatchObject({ exitCode: 78 });
  expect(folder.read('out/2026-01-01/companies.csv')).toBe(list);
});

test('an export replaces no list that its run has read', async () => {
  using folder = openFolder({
    'leads.csv': list,
    'x/companies.csv': list,
    'job.yaml': 'name: leads\ninput: {path: leads.csv}\noutput: {path: out}\n',
  });
  const env = { DOSSIER_URL: 'embedded' };
  await folder.dossier('run job.yaml --input x/companies.csv', { env });
  const exported = await folder.dossier('export job.yaml --output x', { env });
  expect(exported).toMatchObject({ exitCode: 78 });
  expect(folder.read('x/companies.csv')).toBe(list);
});
