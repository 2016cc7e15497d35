import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { ReportData } from '../../src/report/data/report-data.ts';
import { ensurePages } from '../support/built-page.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { valueIn } from '../support/parse-metrics.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';
import { runDossier } from '../support/run-dossier.ts';
import { openSmallService } from '../support/small-service.ts';
import { startWorker } from '../support/start-worker.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

testWithRedis(
  'while a shared run goes on, the live page and its metrics tell what is shared',
  async () => {
    await ensurePages();
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'leads.csv'), 'website\none.com\ntwo.com\nthree.com\n');
    await using redis = await startRedis();
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    await using service = await openSmallService(() => released);
    const env = { ...service.env, DOSSIER_SHARE: redis.url };
    await using worker = await startWorker(env, ['--concurrency', '2']);
    const at = { cwd: folder.path, env };
    const flags = ['--no-worker', '--rate', '40', '--metrics-file', 'leads.prom'];
    const running = runDossier(['run', 'leads.csv', ...flags], at);
    await service.untilSeen(2);

    const live = await firstShare(folder.path, env);
    expect(live.run.state).toBe('running');
    expect(live.share).toMatchObject({
      calls: { waiting: 1, active: 2 },
      workers: 1,
      rate: { allowed: 40 },
      loweredBy: null,
      throttledMs: 0,
    });
    expect(live.share?.members).toMatchObject([
      { kind: 'worker', job: '', concurrency: 2 },
      { kind: 'run', job: 'leads', concurrency: 0 },
    ]);

    release(undefined);
    const { exitCode, stderr } = await running;
    expect(exitCode, stderr).toBe(0);
    const text = readFileSync(join(folder.path, 'leads.prom'), 'utf8');
    expect(valueIn(text, 'dossier_share_calls', { state: 'waiting' })).toBe(0);
    expect(valueIn(text, 'dossier_share_workers')).toBe(1);
    // That the rate of the run holds for a worker without one is nothing to warn of.
    expect(worker.log()).not.toContain('rate.lowered');
    expect(readFileSync(join(folder.path, 'output/leads/report.html'), 'utf8')).not.toContain(
      '"loweredBy"',
    );
  },
);

/** The first report of `dossier watch` that tells of a share. */
async function firstShare(cwd: string, env: Record<string, string>): Promise<ReportData> {
  const child = spawn(process.execPath, [main, 'watch', 'leads.csv'], {
    ...{ cwd, env: cleanEnvironment(env), stdio: ['ignore', 'pipe', 'ignore'] as const },
  });
  try {
    const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { body } = await fetch(`${url}events`);
    let received = '';
    for await (const chunk of body ?? []) {
      received += Buffer.from(chunk).toString();
      const events = received.split('\n\n').filter((event) => event.startsWith('event: report'));
      for (const event of events.slice(0, -1)) {
        const data = JSON.parse(event.slice(event.indexOf('{'))) as ReportData;
        if (data.share) return data;
      }
    }
    throw new Error(`no report tells of a share: ${received.slice(-500)}`);
  } finally {
    child.kill();
  }
}
