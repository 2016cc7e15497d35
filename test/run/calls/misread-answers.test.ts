import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { runJob } from '../../../src/run/run-job.ts';
import type { Reaction } from '../../support/hostile-server.ts';
import { asking } from '../../support/run-parts.ts';
import { openSmallService } from '../../support/small-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { companyDataService, jobOver, testJob } from '../../support/test-job.ts';

const sites = ['a', 'b', 'twice', 'c', 'broken', 'd', 'refused', 'e', 'other', 'f'];

/** Long bodies seem to be companies before they are parsed; short ones are judged in full. */
async function runWith(fillerLength: number, changes: object = {}) {
  using folder = temporaryFolder();
  const filler = 'x'.repeat(fillerLength);
  const asked = new Map<string, number>();
  await using service = await openSmallService(async (path): Promise<Reaction> => {
    const site = new URL(path, 'http://x').searchParams.get('fqdn')?.replace('.com.au', '') ?? '';
    const before = asked.get(site) ?? 0;
    asked.set(site, before + 1);
    const broken = `{"id":"c_${site}","name":"${filler}"},"}`;
    if (site === 'broken' || (site === 'twice' && before === 0)) return { body: broken };
    const beside = site === 'refused' ? { success: false, error: 'Company not found' } : {};
    const text = JSON.stringify({ id: `c_${site}`, ...beside, name: filler });
    return { body: site === 'other' ? text.replace(/}$/, ',"id":"c_9"}') : text };
  });
  const job = jobOver(
    folder.path,
    sites.map((site) => `${site}.com.au`),
    {
      services: [{ ...companyDataService, url: service.url }],
      limits: { ...testJob().limits, concurrency: 1 },
      ...changes,
    },
  );
  let attempts = 0;
  const parts = asking(service.url, job, { accounts: [['aa']] }, ({ type }) => {
    if (type === 'attempt.made') attempts += 1;
  });
  const ended = await runJob(job, parts).then(
    ({ counts }) => counts,
    ({ code, message }) => ({ code, message }),
  );
  const db = new Database(job.ledger, { readonly: true });
  const spent = db
    .prepare(
      'select sum(requests) as requests, sum(hits) as hits, sum(misses) as misses from spend',
    )
    .get();
  const results = db
    .prepare(
      `select c.text, a.outcome, a.company_id, a.message, a.attempts from answer a
       join call c on c.id = a.call_id order by c.text`,
    )
    .all();
  const leased = db.prepare('select count(*) as number from lease').get();
  db.close();
  return { ended, spent, results, leased, attempts, asked: Object.fromEntries(asked) };
}

test('an answer that only seems to be a company ends as if it had been parsed at once', async () => {
  const seeming = await runWith(2_000);
  const { ended, asked, results, attempts } = seeming;
  expect(ended).toMatchObject({ rows: { matched: 8, not_found: 1, failed: 1, open: 0 } });
  expect(asked).toMatchObject({ twice: 2, broken: 2, refused: 1, other: 1 });
  expect(attempts).toBe(sites.length + 2);
  expect(results).toContainEqual(
    expect.objectContaining({ outcome: 'failed', message: 'the answer is not complete JSON' }),
  );
  expect(seeming).toEqual(await runWith(10));
});

test('and it never costs more than the budget', async () => {
  const budget = { ...testJob().budget, perStart: 6 };
  const limits = { ...testJob().limits, concurrency: 4, attempts: 2 };
  const { ended, spent, asked } = await runWith(2_000, { budget, limits });
  expect(ended).toMatchObject({ code: 'BUDGET_SPENT' });
  const requests = Object.values(asked).reduce((sum, number) => sum + number, 0);
  expect(requests).toBeLessThanOrEqual(6);
  expect(spent).toMatchObject({ requests });
});
