import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openObjectStore } from '../../src/core/objects/open-object-store.ts';
import { type ListServer, openListServer } from '../support/list-server.ts';
import { startObjectStore } from '../support/object-store.ts';
import { runDossier } from '../support/run-dossier.ts';
import { openSmallService, type SmallService } from '../support/small-service.ts';
import { startDossier } from '../support/start-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const list = 'id,website\n1,one.com\n2,two.com\n3,not a domain\n';
/** Another one every night, as signatures are. */
const secrets = /hunter22|c0ffee\d+/;

let service: SmallService;
beforeAll(async () => {
  service = await openSmallService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

function signed(server: ListServer, night: number, path = '/in/leads.csv'): string {
  const { host } = new URL(server.url);
  return `http://reader:hunter22@${host}${path}?sig=c0ffee${night}0000000`;
}

/** The commands of a user in a folder. */
function openFolder() {
  const folder = temporaryFolder();
  const said: string[] = [];
  const run = async (args: readonly string[], env: Record<string, string> = {}) => {
    const all = { ...service.env, ...env };
    const finished = await runDossier(args, { cwd: folder.path, env: all });
    said.push(finished.stdout, finished.stderr);
    return finished;
  };
  return {
    path: folder.path,
    run,
    said,
    async runJson(args: readonly string[], env: Record<string, string> = {}) {
      const { exitCode, stdout, stderr } = await run(['run', ...args, '--json'], env);
      return { exitCode, stderr, ...(JSON.parse(stdout) as Summary) };
    },
    file: (name: string) => readFileSync(join(folder.path, name), 'utf8'),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

interface Summary {
  readonly rows: Record<string, number>;
  readonly calls: { readonly made: number };
}

/** All that lies in a folder, as text. */
function everythingIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
    .join('\n');
}

test('a list on the web is the same list each night, however its address is signed', async () => {
  await using server = await openListServer({ '/in/leads.csv': list });
  using folder = openFolder();
  const first = await folder.runJson([signed(server, 1), '--rate', 'none']);
  expect(first, first.stderr).toMatchObject({
    exitCode: 0,
    rows: { total: 3, matched: 2, invalid: 1 },
    calls: { made: 2 },
  });
  const written = folder.file('output/leads/companies.csv');
  expect(server.sent).toEqual(['/in/leads.csv?sig=c0ffee10000000']);

  // The next night: signed anew, and the same list.
  const second = await folder.runJson([signed(server, 2)]);
  expect(second).toMatchObject({ exitCode: 0, rows: first.rows, calls: { made: 0 } });
  expect(folder.file('output/leads/companies.csv')).toBe(written);
  const manifest = JSON.parse(folder.file('output/leads/manifest.json'));
  expect(manifest.listPath).toBe(`${server.url}/in/leads.csv`);

  server.lists.set('/in/leads.csv', `${list}4,four.com\n`);
  const third = await folder.runJson([signed(server, 3), '--rate', 'none']);
  expect(third).toMatchObject({ exitCode: 0, rows: { total: 4, matched: 3 }, calls: { made: 1 } });
  expect(server.sent).toHaveLength(3);
  // It is the same job, though its address was written in another way each night.
  const { stdout } = await folder.run(['status', signed(server, 4), '--runs', '5', '--json']);
  expect(JSON.parse(stdout).jobs[0]).toMatchObject({ job: 'leads', runCount: 3 });
  expect(folder.said.join('')).not.toMatch(secrets);
  expect(everythingIn(folder.path)).not.toMatch(secrets);
});

test('what is said of a list is what a file of the same bytes has', async () => {
  await using server = await openListServer({ '/leads.csv': list });
  using folder = openFolder();
  writeFileSync(join(folder.path, 'leads.csv'), list);
  const run = (path: string, output: string) =>
    folder.run([
      ...['run', path, '--output', output, '--rate', 'none'],
      ...['--columns', 'row_number,row_key,status,reason,message,company_*'],
    ]);
  await run('leads.csv', 'of-file');
  await run(`${server.url}/leads.csv`, 'of-address');
  for (const name of ['companies.csv', 'rejects.csv']) {
    const [file, other] = ['of-file', 'of-address'].map((output) =>
      // When a row has changed is a time of the run.
      folder.file(`${output}/${name}`).replaceAll(/,[-\d]+T[\d:.]+Z/g, ''),
    );
    expect(other).toBe(file);
  }
});

test('a run that was stopped goes on, whether its list is unchanged or gone', async () => {
  const server = await openListServer({ '/leads.csv': list });
  using folder = openFolder();
  const address = `${server.url}/leads.csv`;
  const stopped = await folder.runJson([address, '--max-calls', '1', '--rate', 'none']);
  expect(stopped.exitCode, stopped.stderr).toBe(75);
  const still = await folder.runJson([address, '--rate', 'none']);
  expect(still.exitCode, still.stderr).toBe(0);
  expect(still).toMatchObject({ run: 'r1' });
  server.lists.set('/leads.csv', 'id,website\n7,seven.com\n8,eight.com\n');
  const again = await folder.runJson([address, '--max-calls', '1', '--rate', 'none']);
  expect(again.exitCode, again.stderr).toBe(75);
  await server[Symbol.asyncDispose]();
  const finished = await folder.runJson([address, '--rate', 'none']);
  expect(finished).toMatchObject({ exitCode: 0, rows: { total: 2, matched: 2 } });
  const nothing = await folder.run(['check', address]);
  expect(nothing.stdout.replace(/\s+/g, ' ')).toContain(
    'cannot be had: connection refused; it was asked for 4 times → Check the address of the list',
  );
});

test('a run that was killed goes on with the rows that it has read', async () => {
  await using server = await openListServer({ '/leads.csv': list });
  await using slow = await openSmallService((_path, index) =>
    index === 1 ? { neverAnswer: true } : undefined,
  );
  using folder = openFolder();
  const args = ['run', `${server.url}/leads.csv`, '--rate', 'none', '--concurrency', '1'];
  await using running = startDossier(args, { cwd: folder.path, env: slow.env });
  await slow.untilSeen(2);
  await running.stop('SIGKILL');
  const finished = await folder.runJson(args.slice(1), slow.env);
  expect(finished, finished.stderr).toMatchObject({ exitCode: 0, rows: { total: 3, matched: 2 } });
  expect(finished).toMatchObject({ run: 'r1' });
});

test('a job is drafted, checked, planned and mended for a list at an address', async () => {
  await using server = await openListServer({ '/in/leads%20(new).csv': list });
  using folder = openFolder();
  const address = signed(server, 1, '/in/leads%20(new).csv');
  const drafted = await folder.run(['init', address]);
  expect(drafted.exitCode, drafted.stderr).toBe(0);
  const job = folder.file('leads-new.yaml');
  expect(job).toContain(`path: ${server.url}/in/leads%20(new).csv\n`);
  expect(job).not.toMatch(secrets);

  writeFileSync(
    join(folder.path, 'nightly.yaml'),
    job.replace(/path: .*/, `path: \${LEADS_WEBHOOK}`),
  );
  const env = { LEADS_WEBHOOK: address };
  const checked = await folder.run(['check', 'nightly.yaml'], env);
  expect(checked.stdout).toContain('2 of all 3 rows');
  const planned = await folder.run(['plan', 'nightly.yaml'], env);
  expect(planned.stdout).toContain('3 rows of leads%20(new).csv');
  const found = await folder.run(['identify', address, '--summary', '--json']);
  expect(found.exitCode, found.stderr).toBe(0);
  expect((await folder.runJson(['nightly.yaml', '--rate', 'none'], env)).exitCode).toBe(0);

  const rejects = folder.file('output/leads-new/rejects.csv');
  writeFileSync(join(folder.path, 'mended.csv'), rejects.replace('not a domain', 'three.com'));
  const mended = await folder.run(['fix', 'nightly.yaml', 'mended.csv'], env);
  expect(mended.exitCode, mended.stderr).toBe(0);
  expect(folder.file('nightly.fixed.jsonl')).toContain('three.com');
  const listed = await folder.run(['fix', 'nightly.yaml', '--list', '--json'], env);
  expect(JSON.parse(listed.stdout).corrections).toMatchObject([{ state: 'applies' }]);
  expect(folder.said.join('')).not.toMatch(secrets);
  expect(everythingIn(folder.path)).not.toMatch(secrets);
});

test('a bare list at an address is mended in the working directory', async () => {
  await using server = await openListServer({ '/leads.csv': list });
  using folder = openFolder();
  const address = `${server.url}/leads.csv`;
  await folder.run(['run', address, '--rate', 'none']);
  const rejects = folder.file('output/leads/rejects.csv');
  writeFileSync(join(folder.path, 'mended.csv'), rejects.replace('not a domain', 'three.com'));
  const mended = await folder.run(['fix', address, 'mended.csv', '--rate', 'none']);
  expect(mended.exitCode, mended.stderr).toBe(0);
  expect(readdirSync(folder.path).filter((name) => name.endsWith('.fixed.jsonl'))).toEqual([
    expect.stringMatching(/^leads\.csv-[0-9a-f]{8}\.fixed\.jsonl$/),
  ]);
  const after = await folder.runJson([address]);
  expect(after).toMatchObject({ rows: { total: 3, matched: 3 }, calls: { made: 0 } });
});

test.each([
  [['run', 'https://lists.invalid/job.yaml'], 64, 'a job file is read from this machine only'],
  [['run', 'http://lists.invalid/leads.csv'], 64, 'http:// is read from this machine only'],
  [['run', 's3://lists'], 64, 's3://bucket/path/leads.csv'],
])('%j is refused before anything is asked', async (args, code, words) => {
  using folder = openFolder();
  const { exitCode, stderr } = await folder.run(args);
  expect(exitCode, stderr).toBe(code);
  expect(stderr).toContain(words);
});

test('a list in an object store is read', async () => {
  await using store = await startObjectStore();
  await using objects = await openObjectStore(store.env);
  await objects.put({ bucket: store.bucket, key: 'in/leads.csv' }, Buffer.from(list));
  using folder = openFolder();
  const address = `s3://${store.bucket}/in/leads.csv`;
  const first = await folder.runJson([address, '--rate', 'none'], store.env);
  expect(first, first.stderr).toMatchObject({ exitCode: 0, rows: { total: 3, matched: 2 } });
  const second = await folder.runJson([address], store.env);
  expect(second).toMatchObject({ exitCode: 0, rows: first.rows, calls: { made: 0 } });
  expect(folder.said.join('') + everythingIn(folder.path)).not.toContain(store.secretKey);
});
