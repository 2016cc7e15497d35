import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/core/runtime/package-path.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const list = 'website\nacme.com\n';

test.each([
  [['run', 'leads.csv', '--output', 'gs://bucket/x'], 64, '--output'],
  [['run', 'job.yaml'], 78, 'output[1].path'],
  [['init', 'file:///leads.csv'], 65, 'leave file:// away'],
  [['run', 'leads.csv', '--ledger', 's3://bucket/ledger.db'], 64, '--ledger'],
  [['ledger', 'backup', 's3://bucket/ledger.db'], 64, 's3://bucket/ledger.db'],
  [['ledger', 'merge', 's3:/bucket/ledger.db.zst.diverged-1'], 64, 's3:/bucket/ledger'],
])('%j is refused by its scheme, and nothing is written', async (args, exitCode, where) => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'leads.csv'), list);
  const job =
    'name: leads\ninput: {path: leads.csv}\noutput: [{path: out}, {path: "gs://bucket/x"}]\n';
  writeFileSync(join(folder.path, 'job.yaml'), job);
  const env = { DOSSIER_URL: 'embedded' };
  const { exitCode: code, stderr } = await runDossier(args, { cwd: folder.path, env });
  expect(code, stderr).toBe(exitCode);
  expect(stderr).toContain(where);
  expect(stderr).toMatch(
    /(?:file|gs|s3):\/\/ is not supported, only paths of this machine(?: and https:\/\/)?(?: and s3:\/\/)?: \w|an address has two slashes, (?:s3|https):\/\//,
  );
  expect(readdirSync(folder.path).sort()).toEqual(['job.yaml', 'leads.csv']);
});

test.each(['run', 'init', 'identify'])(
  '%s shows no secret of an address that it refuses',
  async (command) => {
    const address = 'ftp://reader:hunter22@lists.example/leads.csv?sig=c0ffee';
    const { exitCode, stdout, stderr } = await runDossier([command, address]);
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toContain('ftp://lists.example/leads.csv: ftp:// is not supported');
    expect(stdout + stderr).not.toMatch(/hunter22|c0ffee/);
  },
);

test('a job file with such an address shows none of its secrets, either', async () => {
  using folder = temporaryFolder();
  const path = 'http://reader:hunter22@lists.example/leads.csv?sig=c0ffee';
  const job = { name: 'leads', service: { url: 'embedded' }, input: { path } };
  writeFileSync(join(folder.path, 'job.yaml'), JSON.stringify(job));
  const { exitCode, stderr } = await runDossier(['run', 'job.yaml'], { cwd: folder.path });
  expect(exitCode).toBe(78);
  expect(stderr).toContain('found "http://lists.example/leads.csv"');
  expect(stderr).toContain('http:// is read from this machine only');
  expect(stderr).not.toMatch(/hunter22|c0ffee/);
});

test('a script of npm looks for files where the user is', () => {
  using folder = temporaryFolder();
  const inside = join(folder.path, 'lists');
  mkdirSync(inside);
  writeFileSync(join(inside, 'mine.csv'), list);
  const script = ['run', '-s', 'dossier', '--', 'identify', 'mine.csv', '--json'];
  const printed = execFileSync('npm', ['--prefix', packagePath(), ...script], {
    cwd: inside,
    encoding: 'utf8',
  });
  expect(JSON.parse(printed)).toMatchObject({ kind: 'fqdn', value: 'acme.com' });
});
