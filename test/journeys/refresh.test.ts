import { expect, test } from 'vitest';
import { PlanJson } from '../../src/facts/plan.ts';
import { succeeded } from '../support/run-dossier.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

test('--refresh looks up only what it names, at the price of the plan', async () => {
  const refused = { status: 400, body: '{"error":400,"message":"never heard"}' };
  await using service = await openSmallService((path) =>
    path.includes('odd') ? refused : undefined,
  );
  const sites = ['acme.com.au', 'beta.com.au', 'unknown1.com.au', 'unknown2.com.au', 'odd.com.au'];
  using folder = openFolder({ 'leads.csv': ['website', ...sites].join('\n') }, service.env);
  const dossier = async (command: string, ...flags: string[]) => {
    const before = service.seen.length;
    const args = [command, 'leads.csv', '--rate', 'none', '--json', ...flags];
    const end = await folder.dossier(args);
    const asked = service.seen.slice(before).map(({ path }) => /fqdn=([a-z0-9]+)/.exec(path)?.[1]);
    return { ...end, asked: asked.sort() };
  };
  expect((await dossier('run')).asked).toHaveLength(5);

  const plan = PlanJson.parse(JSON.parse((await dossier('plan', '--refresh', 'misses')).stdout));
  expect(plan).toMatchObject({
    refresh: 'misses',
    calls: { companies: 2, expected: 2, most: 3 },
    answered: { companies: 2 },
  });
  expect((await dossier('run', '--refresh', 'misses')).asked).toEqual(['unknown1', 'unknown2']);
  expect((await dossier('run', '--refresh', 'failed')).asked).toEqual(['odd']);
  expect((await dossier('run', '--refresh', 'older-than', '1h')).asked).toEqual([]);

  const all = ['acme', 'beta', 'odd', 'unknown1', 'unknown2'];
  const stopped = await dossier('run', '--refresh', 'all', '--max-calls', '2');
  expect(stopped).toMatchObject({ exitCode: 75, asked: { length: 2 } });
  const rest = PlanJson.parse(JSON.parse((await dossier('plan', '--refresh=all')).stdout));
  expect(rest).toMatchObject({ refresh: 'all', resumes: { run: 'r5' }, calls: { companies: 3 } });
  const resumed = await dossier('run', '--refresh', 'all', '--max-calls', '1');
  expect(resumed).toMatchObject({ exitCode: 75, asked: { length: 1 } });

  // A run without the flag makes no call and does not end the refresh.
  const night = await dossier('run');
  expect(night).toMatchObject({ exitCode: 0, asked: [] });
  const last = await succeeded(dossier('run', '--refresh', 'all'));
  expect([...stopped.asked, ...resumed.asked, ...last.asked].sort()).toEqual(all);
  // It has finished: the next one begins anew.
  expect((await dossier('run', '--refresh', 'all')).asked).toEqual(all);
  const wrong = await dossier('plan', '--refresh', 'older-than', 'seven');
  expect(wrong.exitCode).toBe(64);
  expect(wrong.stderr).toContain(
    '--refresh: expected misses, failed, all, or older-than and a time',
  );
});
