import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openObjectStore } from '../../src/core/objects/open-object-store.ts';
import { type ListServer, openListServer } from '../support/list-server.ts';
import { startObjectStore } from '../support/object-store.ts';
import { runDossier } from '../support/run-dossier.ts';
import { openSmallService, type SmallService } from '../support/small-service.ts';
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
    'cannot be had: connection refused; tried 4 times → No call was made. Try again in some minutes.',
  );
});

test('a job is drafted, checked, planned and fixed for a list at an address', async () => {
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
  expect(checked.stdout).toContain('2 of 3 rows have an identifier');
  const planned = await folder.run(['plan', 'nightly.yaml'], env);
  expect(planned.stdout).toContain('3 rows of leads%20(new).csv');
  const found = await folder.run(['identify', address, '--summary', '--json']);
  expect(found.exitCode, found.stderr).toBe(0);
  expect((await folder.runJson(['nightly.yaml', '--rate', 'none'], env)).exitCode).toBe(0);

  const rejects = folder.file('output/leads-new/rejects.csv');
  writeFileSync(join(folder.path, 'fixed.csv'), rejects.replace('not a domain', 'three.com'));
  const fixed = await folder.run(['fix', 'nightly.yaml', 'fixed.csv'], env);
  expect(fixed.exitCode, fixed.stderr).toBe(0);
  expect(folder.file('nightly.fixed.jsonl')).toContain('three.com');
  const listed = await folder.run(['fix', 'nightly.yaml', '--list', '--json'], env);
  expect(JSON.parse(listed.stdout).corrections).toMatchObject([{ state: 'applies' }]);
  expect(folder.said.join('')).not.toMatch(secrets);
  expect(everythingIn(folder.path)).not.toMatch(secrets);
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
