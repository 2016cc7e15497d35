import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CheckJson } from '../../src/cli/check.ts';
import { type HostileServer, openHostileServer } from '../support/hostile-server.ts';
import { openFolder } from '../support/work-folder.ts';

const key = 'key-of-the-tests';
const list = 'website\nacme-test.com\nbeta-test.com.au\nnot a domain\n';

function workplace() {
  const folder = openFolder({ 'leads.csv': list });
  const check = async (args: readonly string[], env: Record<string, string> = {}) => {
    const line = ['check', '--json', ...args];
    const { stdout, stderr, exitCode } = await folder.dossier(line, { env });
    expect(stderr).toBe('');
    expect(stdout).not.toContain(key);
    const report = CheckJson.parse(JSON.parse(stdout));
    expect(report.exitCode).toBe(exitCode);
    const failed = report.checks.filter(({ state }) => state === 'failed');
    return { ...report, failed: failed.map(({ part, code }) => `${part} ${code}`) };
  };
  return { ...folder, check };
}

describe('a check', () => {
  let well: HostileServer;
  const reachable = () => ({ DOSSIER_URL: well.url, DOSSIER_API_KEY: key });
  beforeAll(async () => {
    well = await openHostileServer({ status: 400, body: '{"error":400}' });
  });
  afterAll(() => well[Symbol.asyncDispose]());

  test('reports each part, and leaves nothing behind', async () => {
    using at = workplace();
    const { ok, checks } = await at.check(['leads.csv'], reachable());
    expect(ok).toBe(true);
    expect(Object.fromEntries(checks.map(({ part, finding }) => [part, finding]))).toEqual({
      job: 'leads, a list without a job file',
      input: expect.stringMatching(/^2 of 3 rows have an identifier\n.*"website" \(Domain\)/),
      ledger: '.home/dossier/ledger.db, created by the next run',
      output: 'output/leads, writable',
      key: 'in the variable DOSSIER_API_KEY',
      service: expect.stringContaining(
        `${new URL(well.url).host} is responding; the key seems to be accepted`,
      ),
    });
    expect(readdirSync(at.path)).toEqual(['leads.csv']);
  });

  test('ends with 77 for a refused key and 69 for a service that is down', async () => {
    using at = workplace();
    await using service = await openHostileServer({ status: 401, body: '{"error":"wrong key"}' });
    const env = { DOSSIER_URL: service.url, DOSSIER_API_KEY: key };
    const refused = await at.check(['leads.csv'], env);
    expect(refused).toMatchObject({ exitCode: 77, failed: ['service KEY_REFUSED'] });
    await service[Symbol.asyncDispose]();
    const down = await at.check(['leads.csv'], env);
    expect(down).toMatchObject({ exitCode: 69, failed: ['service SERVICE_DOWN'] });
    expect(down.checks.at(-1)?.finding).toContain('connection refused');
  });

  test('does not call a service without a key', async () => {
    using at = workplace();
    await using service = await openHostileServer({ status: 400 });
    const { checks, ...report } = await at.check(['leads.csv'], { DOSSIER_URL: service.url });
    expect(report).toMatchObject({ exitCode: 78, failed: ['key KEY_MISSING'] });
    expect(checks.at(-1)?.state).toBe('skipped');
    expect(service.seen).toHaveLength(0);
  });

  test('stops at an invalid job', async () => {
    using at = workplace();
    at.write('leads.yaml', 'name: leads\nimput: {path: leads.csv}\n');
    const { checks, exitCode } = await at.check(['leads.yaml']);
    expect(exitCode).toBe(78);
    expect(checks).toHaveLength(1);
    expect(checks[0]?.finding).toContain('leads.yaml:2:1');
  });

  test.each([
    ['', 'INPUT_INVALID'],
    ['name,phone\nAcme,12\n', 'COLUMNS_UNCLEAR'],
    [undefined, 'INPUT_UNREADABLE'],
  ])('finds only the list wrong if it holds %j', async (text, code) => {
    using at = workplace();
    if (text !== undefined) at.write('other.csv', text);
    const report = await at.check(['other.csv'], reachable());
    expect(report).toMatchObject({ exitCode: 65, failed: [`input ${code}`] });
  });

  test('says that a run would refuse or hold the list', async () => {
    using at = workplace();
    at.write('a.yaml', 'name: a\ninput: {path: leads.csv}\nexpect: {rows: ">= 4"}\n');
    const held = await at.check(['a.yaml'], reachable());
    expect(held).toMatchObject({ exitCode: 4, failed: ['input LIST_HELD'] });
    expect(held.checks[1]?.remedy).toMatch(/\n {2}dossier run a.yaml --accept [\da-f]{8}\n/);
    at.write('empty.csv', 'website\n');
    const empty = await at.check(['empty.csv'], reachable());
    expect(empty).toMatchObject({ exitCode: 65, failed: ['input LIST_EMPTY'] });
  });

  test('reports folders that cannot be written', async () => {
    using at = workplace();
    const paths = ['--ledger', 'leads.csv/below/ledger.db', '--output', 'leads.csv/below'];
    const report = await at.check(['leads.csv', ...paths], reachable());
    expect(report).toMatchObject({
      exitCode: 74,
      failed: ['ledger LEDGER_TROUBLE', 'output OUTPUT_TROUBLE'],
    });
    expect(report.checks[2]?.finding).toContain(
      'leads.csv/below has a file where a folder is needed',
    );
  });

  test('shows a line for each part within eighty columns', async () => {
    using at = workplace();
    const args = ['leads.csv', '--ledger', 'leads.csv/ledger.db'];
    const { stdout, exitCode } = await at.dossier(['check', ...args], { env: reachable() });
    expect(exitCode).toBe(74);
    expect(stdout).toMatch(/^✓ job: +leads, a list without a job file$/m);
    expect(stdout).toMatch(/^✗ ledger: .+\n {11}→ Check that the folder/m);
    const longest = Math.max(...stdout.split('\n').map((line) => line.length));
    expect(longest).toBeLessThanOrEqual(80);
  });
});
