import { expect, test } from 'vitest';
import { RunEnd } from '../../src/run/run-schemas.ts';
import type { Reaction } from '../support/hostile-server.ts';
import { succeeded } from '../support/run-dossier.ts';
import { listOfDomains } from './sample-companies.ts';
import { openWorkplace, summaryOf, type Workplace } from './workplace.ts';

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
  // The one object on standard output says the same.
  const { reason, message, remedy, ...ended } = RunEnd.parse(JSON.parse(finished.stdout));
  expect({ exitCode: ended.exitCode, reason }).toEqual({ exitCode, reason: code ?? null });
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
  // One failing row does not trip the circuit breaker.
  await expectToEnd(workplace, [job], 3);
  // The job allows this many failures.
  const allowed = writeJob(workplace, 20, { expect: { failed: '<= 5%' } });
  await expectToEnd(workplace, [allowed], 0);
  isBroken = false;
  const before = workplace.seen.length;
  const finished = await succeeded(workplace.run([job]));
  expect(summaryOf(finished)).toMatchObject({ rows: { matched: 20 }, calls: { made: 1 } });
  expect(workplace.seen.length - before).toBe(1);
});

test('69, 75, 77 and 78: a service that fails stops the run, and its rows stay open', async () => {
  let reaction: Reaction | undefined;
  await using workplace = await openWorkplace(service, () => reaction);
  const job = writeJob(workplace, 30);
  // Rejected rows stay invalid, so JOB_REFUSED comes last.
  for (const [exitCode, code, answer] of [
    [69, 'SERVICE_DOWN', { status: 502 }],
    [77, 'KEY_REFUSED', { status: 401, body: '{"error":"no"}' }],
    [75, 'QUOTA_SPENT', { status: 402, body: '{"error":"no credit"}' }],
    [75, 'THROTTLED_TOO_LONG', { status: 429, headers: { 'retry-after': '60' } }],
    [78, 'JOB_REFUSED', { status: 400, body: '{"error":"bad request"}' }],
  ] as const) {
    reaction = answer;
    const before = workplace.seen.length;
    await expectToEnd(workplace, [job], exitCode, code);
    expect(workplace.seen.length - before).toBeLessThan(40);
  }
  reaction = undefined;
  const finished = await succeeded(workplace.run([job]));
  const { resumed, rows } = summaryOf(finished);
  expect({ resumed, settled: rows.matched + rows.invalid }).toEqual({ resumed: true, settled: 30 });
});

test('64, 65, 74 and 78: local mistakes are reported before a call is made', async () => {
  await using workplace = await openWorkplace(service);
  const job = writeJob(workplace, 3);
  await expectToEnd(workplace, [job, '--concurrency', 'many'], 64, 'USAGE');
  await expectToEnd(workplace, [job, '--input', 'absent.csv'], 65, 'INPUT_UNREADABLE');
  const named = workplace.write(
    'named.yaml',
    'name: named\ninput: {path: leads.csv, key: crm_id}\n',
  );
  expect(await expectToEnd(workplace, [named], 65, 'COLUMN_MISSING')).toContain('named.yaml:2:');
  workplace.write('note.txt', 'This is not a database.'.repeat(50));
  await expectToEnd(workplace, [job, '--ledger', 'note.txt'], 74, 'LEDGER_DAMAGED');
  const bad = workplace.write('bad.yaml', 'name: leads\ninput: {path: leads.csv}\npeeple: {}\n');
  expect(await expectToEnd(workplace, [bad], 78, 'JOB_INVALID')).toContain('people');
  expect(workplace.seen).toHaveLength(0);
});
