import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { testWhere } from '../support/needs.ts';
import { listOfDomains } from './sample-companies.ts';
import { endOf, openWorkplace, summaryOf } from './workplace.ts';

testWhere('sqlite3').each([
  ['backup', `.backup 'copy.db'`],
  ['vacuum into', `vacuum into 'copy.db'`],
])('a %s made while a run goes on has every answer that was there', async (_, command) => {
  let isSlow = true;
  await using workplace = await openWorkplace({ companies: 30 }, (_request, index) =>
    isSlow && index >= 10 ? { neverAnswer: true } : undefined,
  );
  workplace.write('leads.csv', listOfDomains(30));
  const job = { name: 'leads', input: { path: 'leads.csv' }, limits: { concurrency: 2 } };
  const path = workplace.write('job.yaml', JSON.stringify(job));
  const running = workplace.start([path, '--ledger', 'ledger.db']);
  // Twelve requests have arrived when ten answers are stored and two calls are in flight.
  while (workplace.seen.length < 12) await new Promise((resolve) => setTimeout(resolve, 20));
  execFileSync('sqlite3', ['ledger.db', command], { cwd: workplace.folder });
  running.kill('SIGKILL');
  await endOf(running);

  isSlow = false;
  const finished = await workplace.run([path, '--ledger', 'copy.db']);
  expect(finished.exitCode, finished.stderr).toBe(0);
  const { resumed, rows, calls } = summaryOf(finished);
  expect({ resumed, matched: rows.matched, made: calls.made }).toEqual({
    resumed: true,
    matched: 30,
    made: 20,
  });
});
