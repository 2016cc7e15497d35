import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/platform/package-path.ts';
import { openFolder } from '../support/work-folder.ts';

const list = 'website\nacme.com\n';

test.each([
  ['run leads.csv --output gs://bucket/x', 64, '--output'],
  ['run job.yaml', 78, 'output[1].path'],
  ['init file:///leads.csv', 65, 'remove file://'],
  ['run leads.csv --ledger s3://bucket/ledger.db', 64, '--ledger'],
  ['ledger merge s3:/bucket/ledger.db.zst.diverged-1', 64, 's3:/bucket/ledger'],
])('%j is refused because of its scheme, and nothing is written', async (line, code, where) => {
  const job =
    'name: leads\ninput: {path: leads.csv}\noutput: [{path: out}, {path: "gs://bucket/x"}]\n';
  using folder = openFolder({ 'leads.csv': list, 'job.yaml': job }, { DOSSIER_URL: 'embedded' });
  const { exitCode, stderr } = await folder.dossier(line);
  expect(exitCode, stderr).toBe(code);
  expect(stderr).toContain(where);
  expect(stderr).toMatch(
    /(?:file|gs|s3):\/\/ is not supported; use a local path(?: or https:\/\/)?(?: or s3:\/\/)?\. To do so, \w|a URL needs two slashes \((?:s3|https):\/\/\)/,
  );
  expect(readdirSync(folder.path).sort()).toEqual(['job.yaml', 'leads.csv']);
});

test('the error about an address shows none of its secrets', async () => {
  const secrets = 'reader:hunter22@lists.example/leads.csv?sig=c0ffee';
  const job = { name: 'leads', service: { url: 'embedded' }, input: { path: `http://${secrets}` } };
  using folder = openFolder({ 'job.yaml': JSON.stringify(job) });
  for (const command of ['run', 'init', 'identify']) {
    const { exitCode, stdout, stderr } = await folder.dossier(`${command} ftp://${secrets}`);
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toContain('ftp://lists.example/leads.csv: ftp:// is not supported');
    expect(stdout + stderr).not.toMatch(/hunter22|c0ffee/);
  }
  const { exitCode, stderr } = await folder.dossier('run job.yaml');
  expect(exitCode).toBe(78);
  expect(stderr).toContain('found "http://lists.example/leads.csv"');
  expect(stderr).toContain('http:// is allowed only for this machine');
  expect(stderr).not.toMatch(/hunter22|c0ffee/);
});

test('a script of npm looks for files where the user is', () => {
  using folder = openFolder({ 'lists/mine.csv': list });
  const script = ['run', '-s', 'dossier', '--', 'identify', 'mine.csv', '--json'];
  const printed = execFileSync('npm', ['--prefix', packagePath(), ...script], {
    cwd: join(folder.path, 'lists'),
    encoding: 'utf8',
  });
  expect(JSON.parse(printed)).toMatchObject({ kind: 'fqdn', value: 'acme.com' });
});
