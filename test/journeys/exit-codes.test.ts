import { expect, test } from 'vitest';
import { RunEnd } from '../../src/results/manifest.ts';
import type { Reaction } from '../support/hostile-server.ts';
import { listOfDomains } from './sample-companies.ts';
import { endOf, openWorkplace, summaryOf, type Workplace } from './workplace.ts';

const service = { companies: 30 };

/** Runs the command, checks its exit code and error code, and returns standard error. */
async function expectToEnd(
  workplace: Workplace,
  args: readonly string[],
  exitCode: number,
  code?: string,
): Promise<string> {
  const finished = await workplace.run(args);
  expect(finished.exitCode, finished.stderr).toBe(exitCode);
  if (code) expect(finished.stderr).toContain(`dossier: ${code}: `);
  // The one object on standard output tells the same, whatever ended the run.
  const { reason, message, remedy, ...told } = RunEnd.parse(JSON.parse(finished.stdout));
  expect({ exitCode: told.exitCode, reason }).toEqual({ exitCode, reason: code ?? null });
  expect([message, remedy].every((text) => (code ? text : text === null))).toBe(true);
  return finished.stderr;
}

function writeJob({ write }: Workplace, rows: number, changes: object = {}): string {
  write('leads.csv', listOfDomains(rows));
  const limits = { attempts: 2, maxWait: '1s', concurrency: 4 };
  const job = { name: 'leads', input: { path: 'leads.csv' }, limits, ...changes };
  return write('job.yaml', JSON.stringify(job));
}

test('0: no row failed; 3: some failed, and a second run makes only their calls', async () => {
  let isBroken = true;
  await using workplace = await openWorkplace(service, ({ path }) =>
    isBroken && path.includes('company7-') ? { status: 500, body: '{}' } : undefined,
  );
  const job = writeJob(workplace, 20);
  await expectToEnd(workplace, [job], 3);
  const [failed] = workplace.records('companies.jsonl').filter(({ status }) => status === 'failed');
  expect(failed).toMatchObject({ row_number: 8, reason: 'service_failed', message: 'HTTP 500' });
  // One row still fails, but a service that answers the others does not trip the circuit breaker.
  await expectToEnd(workplace, [job], 3);
  // The job says that this is all right, so nobody has to look.
  const allowed = writeJob(workplace, 20, { expect: { failed: '<= 5%' } });
  await expectToEnd(workplace, [allowed], 0);
  isBroken = false;
  const before = workplace.seen.length;
  const finished = await workplace.run([job]);
  expect(finished.exitCode).toBe(0);
  expect(summaryOf(finished)).toMatchObject({ rows: { matched: 20 }, calls: { made: 1 } });
  expect(workplace.seen.length - before).toBe(1);
});

test.each<[string, number, string, Reaction]>([
  ['the service is down', 69, 'SERVICE_DOWN', { status: 502 }],
  ['the key is refused', 77, 'KEY_REFUSED', { status: 401, body: '{"error":"no"}' }],
  ['the quota is spent', 75, 'QUOTA_SPENT', { status: 402, body: '{"error":"no credit"}' }],
  [
    'the wait is too long',
    75,
    'THROTTLED_TOO_LONG',
    { status: 429, headers: { 'retry-after': '60' } },
  ],
  ['the job is nonsense', 78, 'JOB_REFUSED', { status: 400, body: '{"error":"bad request"}' }],
])('when %s, the run ends with %i and its rows stay open', async (_, exitCode, code, reaction) => {
  let isOut = true;
  await using workplace = await openWorkplace(service, () => (isOut ? reaction : undefined));
  const job = writeJob(workplace, 30);
  await expectToEnd(workplace, [job], exitCode, code);
  expect(workplace.seen.length).toBeLessThan(40);
  isOut = false;
  const finished = await workplace.run([job]);
  expect(finished.exitCode, finished.stderr).toBe(0);
  const { resumed, rows } = summaryOf(finished);
  // Rows that became invalid before the circuit breaker tripped stay invalid.
  expect({ resumed, settled: rows.matched + rows.invalid }).toEqual({ resumed: true, settled: 30 });
});

test('75: a budget is kept to the request, whatever the concurrency', async () => {
  await using workplace = await openWorkplace(service);
  const job = writeJob(workplace, 30);
  const flags = ['--max-calls', '7', '--concurrency', '8'];
  const told = await expectToEnd(workplace, [job, ...flags], 75, 'BUDGET_SPENT');
  expect(told).toContain('Calls still open: 23');
  expect(workplace.seen).toHaveLength(7);
});

test('75: another run holds the job', async () => {
  await using workplace = await openWorkplace(service, () => ({ neverAnswer: true }));
  const job = writeJob(workplace, 3);
  const first = workplace.start([job]);
  await workplace.untilSeen(1);
  await expectToEnd(workplace, [job], 75, 'JOB_BUSY');
  first.kill('SIGKILL');
  await endOf(first);
});

test('64, 65, 74 and 78: local mistakes are reported before a call is made', async () => {
  await using workplace = await openWorkplace(service);
  const job = writeJob(workplace, 3);
  await expectToEnd(workplace, [job, '--concurrency', 'many'], 64, 'USAGE');
  await expectToEnd(workplace, [job, '--input', 'absent.csv'], 65, 'INPUT_UNREADABLE');
  workplace.write('note.txt', 'This is no database, and it was never meant to be one.'.repeat(50));
  await expectToEnd(workplace, [job, '--ledger', 'note.txt'], 74, 'LEDGER_DAMAGED');
  const bad = workplace.write('bad.yaml', 'name: leads\ninput: {path: leads.csv}\npeeple: {}\n');
  expect(await expectToEnd(workplace, [bad], 78, 'JOB_INVALID')).toContain('people');
  expect(workplace.seen).toHaveLength(0);
});
