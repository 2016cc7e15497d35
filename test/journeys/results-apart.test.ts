import { join } from 'node:path';
import { expect, test } from 'vitest';
import { succeeded } from '../support/run-dossier.ts';
import { openFolder } from '../support/work-folder.ts';

/** A list whose numbers are all wrong: every row is rejected offline, so no service is needed. */
const leadsOf = (...names: string[]) =>
  `who,abn\n${names.map((name) => `${name},51824753557\n`).join('')}`;

/** A folder with lists in it, where every command must succeed. */
function openLists(lists: Record<string, string>) {
  const env = { DOSSIER_URL: 'http://127.0.0.1:9', DOSSIER_API_KEY: 'key-of-the-journeys' };
  const folder = openFolder(lists, env);
  return {
    ...folder,
    async run(line: string) {
      const finished = await succeeded(folder.dossier(line));
      return finished;
    },
    rejects: (name: string) =>
      folder
        .read(`${name}/rejects.csv`)
        .split('\n')
        .flatMap((line) => line.match(/^\w+(?=,\d)/) ?? []),
  };
}

test('two lists with the same file name are two jobs with two results', async () => {
  using folder = openLists({
    'march/leads.csv': leadsOf('anna', 'bert'),
    'april/leads.csv': leadsOf('carl'),
  });
  await folder.run('run march/leads.csv');
  const april = await folder.run('run april/leads.csv --json');
  expect(JSON.parse(april.stdout)).toMatchObject({ job: 'leads-april' });
  expect(folder.rejects('output/leads')).toEqual(['anna', 'bert']);
  expect(folder.rejects('output/leads-april')).toEqual(['carl']);

  const exported = await folder.run('export march/leads.csv');
  expect(exported.stdout).toContain('output/leads/rejects.csv');
  expect(folder.rejects('output/leads')).toEqual(['anna', 'bert']);
  const status = await folder.run(`status ${join(folder.path, 'april/leads.csv')} --json`);
  expect(JSON.parse(status.stdout).jobs).toMatchObject([
    { job: 'leads-april', runs: [{ list: join(folder.path, 'april/leads.csv') }] },
  ]);
});

test('a run warns first if it replaces a larger result of another list', async () => {
  using folder = openLists({
    'leads.csv': leadsOf('anna', 'bert', 'carl'),
    'fixed.csv': leadsOf('bert'),
    'job.yaml': 'name: leads\ninput: {path: leads.csv}\n',
  });
  await folder.run('run job.yaml');
  const tried = await folder.run('run job.yaml --limit 1 --json');
  expect(JSON.parse(tried.stdout)).toMatchObject({ folder: join(folder.path, 'output/leads/try') });
  // Neither the try nor an export after it touches the whole result.
  await folder.run('export job.yaml');
  expect(folder.rejects('output/leads')).toEqual(['anna', 'bert', 'carl']);
  expect(folder.rejects('output/leads/try')).toEqual(['anna']);

  const replacing = 'job.yaml --input fixed.csv';
  const warning =
    'output/leads has 3 rows of r1, from leads.csv as it was then. This run replaces them. To write them to another folder: dossier export job.yaml --run r1 --output output/leads-r1';
  const planned = await folder.run(`plan ${replacing}`);
  expect(planned.stdout.replaceAll(/\s+/g, ' ')).toContain(warning);
  const { stdout, stderr } = await folder.run(`run ${replacing} --json`);
  expect(stderr.indexOf(warning)).toBeLessThan(stderr.indexOf('1 row done'));
  expect(stderr).toContain(warning);
  expect(JSON.parse(stdout)).toMatchObject({ replaced: { run: 'r1', rows: 3 } });
  expect(folder.rejects('output/leads')).toEqual(['bert']);
});

test('a list that was replaced by another file of its name says what its result was', async () => {
  using folder = openLists({ 'leads.csv': leadsOf('anna', 'bert') });
  await folder.run('run leads.csv');
  folder.write('leads.csv', leadsOf('carl', 'dora', 'emil'));
  const warning = 'output/leads has 2 rows of r1, from leads.csv as it was then.';
  expect((await folder.run('run leads.csv')).stderr).toContain(warning);
  expect((await folder.run('run leads.csv')).stderr).not.toContain('as it was then');
});
