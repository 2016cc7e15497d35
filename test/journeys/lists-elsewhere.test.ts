import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { type ListServer, openListServer } from '../support/list-server.ts';
import { startObjectStore } from '../support/object-store.ts';
import { succeeded } from '../support/run-dossier.ts';
import { openSmallService, type SmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

const list = 'id,website\n1,one.com\n2,two.com\n3,not a domain\n';
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

/** A folder whose commands use the service, with everything that they printed. */
function openServiceFolder() {
  const folder = openFolder({}, service.env);
  const printed: string[] = [];
  const dossier = async (line: string, env: Record<string, string> = {}) => {
    const finished = await folder.dossier(line, { env });
    printed.push(finished.stdout, finished.stderr);
    return finished;
  };
  return {
    ...folder,
    dossier,
    printed,
    async run(line: string, env: Record<string, string> = {}) {
      const { exitCode, stdout, stderr } = await dossier(`run ${line} --json`, env);
      return { exitCode, stderr, ...(JSON.parse(stdout) as Summary) };
    },
  };
}

interface Summary {
  readonly rows: Record<string, number>;
  readonly calls: { readonly made: number };
}

function everythingIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
    .join('\n');
}

test('a list on the web stays the same list however its address is signed', async () => {
  await using server = await openListServer({ '/in/leads.csv': list });
  using folder = openServiceFolder();
  const first = await folder.run(`${signed(server, 1)} --rate none`);
  expect(first, first.stderr).toMatchObject({
    exitCode: 0,
    rows: { total: 3, matched: 2, invalid: 1 },
    calls: { made: 2 },
  });
  const written = folder.read('output/leads/companies.csv');
  expect(server.sent).toEqual(['/in/leads.csv?sig=c0ffee10000000']);

  const second = await folder.run(signed(server, 2));
  expect(second).toMatchObject({ exitCode: 0, rows: first.rows, calls: { made: 0 } });
  expect(folder.read('output/leads/companies.csv')).toBe(written);
  const manifest = JSON.parse(folder.read('output/leads/manifest.json'));
  expect(manifest.listPath).toBe(`${server.url}/in/leads.csv`);

  server.lists.set('/in/leads.csv', `${list}4,four.com\n`);
  const third = await folder.run(`${signed(server, 3)} --rate none`);
  expect(third).toMatchObject({ exitCode: 0, rows: { total: 4, matched: 3 }, calls: { made: 1 } });
  expect(server.sent).toHaveLength(3);
  const { stdout } = await folder.dossier(`status ${signed(server, 4)} --json`);
  expect(JSON.parse(stdout).jobs[0]).toMatchObject({ job: 'leads', runCount: 3 });
  expect(folder.printed.join('')).not.toMatch(secrets);
  expect(everythingIn(folder.path)).not.toMatch(secrets);
});

test('a stopped run goes on, whether its list is unchanged or gone', async () => {
  const server = await openListServer({ '/leads.csv': `${list}4,four.com\n` });
  using folder = openServiceFolder();
  const address = `${server.url}/leads.csv`;
  for (const _ of ['first', 'unchanged']) {
    const stopped = await folder.run(`${address} --max-calls 1 --rate none`);
    expect(stopped, stopped.stderr).toMatchObject({ exitCode: 75, run: 'r1' });
  }
  await server[Symbol.asyncDispose]();
  const finished = await folder.run(`${address} --rate none`);
  expect(finished).toMatchObject({ exitCode: 0, run: 'r1', rows: { total: 4, matched: 3 } });
});

test('a job is drafted, checked, planned and fixed for a list at an address', async () => {
  await using server = await openListServer({ '/in/leads%20(new).csv': list });
  using folder = openServiceFolder();
  const address = signed(server, 1, '/in/leads%20(new).csv');
  await succeeded(folder.dossier(`init ${address}`));
  const job = folder.read('leads-new.yaml');
  expect(job).toContain(`path: ${server.url}/in/leads%20(new).csv\n`);
  expect(job).not.toMatch(secrets);

  folder.write('nightly.yaml', job.replace(/path: .*/, `path: \${LEADS_WEBHOOK}`));
  const env = { LEADS_WEBHOOK: address };
  const checked = await folder.dossier('check nightly.yaml', env);
  expect(checked.stdout).toContain('2 of 3 rows have an identifier');
  const planned = await folder.dossier('plan nightly.yaml', env);
  expect(planned.stdout).toContain('3 rows of leads%20(new).csv');
  await succeeded(folder.dossier(`identify ${address} --summary --json`));
  await succeeded(folder.run('nightly.yaml --rate none', env));

  const rejects = folder.read('output/leads-new/rejects.csv');
  folder.write('fixed.csv', rejects.replace('not a domain', 'three.com'));
  await succeeded(folder.dossier('fix nightly.yaml fixed.csv', env));
  expect(folder.read('nightly.fixed.jsonl')).toContain('three.com');
  const listed = await folder.dossier('fix nightly.yaml --list --json', env);
  expect(JSON.parse(listed.stdout).corrections).toMatchObject([{ state: 'applies' }]);
  expect(folder.printed.join('')).not.toMatch(secrets);
  expect(everythingIn(folder.path)).not.toMatch(secrets);
});

test('a list in an object store is read', async () => {
  await using store = await startObjectStore();
  await using objects = await openObjectStore(store.env);
  await objects.put({ bucket: store.bucket, key: 'in/leads.csv' }, Buffer.from(list));
  using folder = openServiceFolder();
  const ran = await folder.run(`s3://${store.bucket}/in/leads.csv --rate none`, store.env);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0, rows: { total: 3, matched: 2 } });
  expect(folder.printed.join('') + everythingIn(folder.path)).not.toContain(store.secretKey);
});
