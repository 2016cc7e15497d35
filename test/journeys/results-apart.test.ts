import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A list whose numbers are all wrong: every row is rejected offline, so no service is needed. */
const leadsOf = (...names: string[]) =>
  `who,abn\n${names.map((name) => `${name},51824753557\n`).join('')}`;

/** A folder with lists in it, and a command line there. */
function openFolder(lists: Record<string, string>) {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder.path, name);
  const write = (name: string, text: string) => {
    mkdirSync(join(path(name), '..'), { recursive: true });
    writeFileSync(path(name), text);
  };
  for (const [name, text] of Object.entries(lists)) write(name, text);
  const env = { DOSSIER_URL: 'http://127.0.0.1:9', DOSSIER_API_KEY: 'key-of-the-journeys' };
  return {
    write,
    path,
    async run(...args: string[]) {
      const finished = await runDossier(args, { cwd: folder.path, env });
      expect(finished.exitCode, finished.stderr).toBe(0);
      return finished;
    },
    rejects: (name: string) =>
      readFileSync(path(`${name}/rejects.csv`), 'utf8')
        .split('\n')
        .flatMap((line) => line.match(/^\w+(?=,\d)/) ?? []),
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}

test.concurrent('two lists of one file name are two jobs with two results', async () => {
  using folder = openFolder({
    'march/leads.csv': leadsOf('anna', 'bert'),
    'april/leads.csv': leadsOf('carl'),
  });
  await folder.run('run', 'march/leads.csv');
  const april = await folder.run('run', 'april/leads.csv', '--json');
  expect(JSON.parse(april.stdout)).toMatchObject({ job: 'leads-2' });
  expect(folder.rejects('output/leads')).toEqual(['anna', 'bert']);
  expect(folder.rejects('output/leads-2')).toEqual(['carl']);

  const exported = await folder.run('export', 'march/leads.csv');
  expect(exported.stdout).toContain('output/leads/rejects.csv');
  expect(folder.rejects('output/leads')).toEqual(['anna', 'bert']);
  const status = await folder.run('status', folder.path('april/leads.csv'), '--json');
  expect(JSON.parse(status.stdout).jobs).toMatchObject([
    { job: 'leads-2', runs: [{ input: folder.path('april/leads.csv') }] },
  ]);
  const byName = await folder.run('status', 'leads');
  expect(byName.stdout).toContain('march/leads.csv');

  // Another ledger knows neither list, but the folders do.
  folder.write('march/leads.csv', leadsOf('dora'));
  await folder.run('run', 'march/leads.csv', '--ledger', 'other.db');
  await folder.run('run', 'april/leads.csv', '--ledger', 'another.db');
  expect(folder.rejects('output/leads')).toEqual(['dora']);
  expect(folder.rejects('output/leads-2')).toEqual(['carl']);
});
