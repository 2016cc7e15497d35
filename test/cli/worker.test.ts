import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ShareJson } from '../../src/cli/status/share-json.ts';
import { valueIn } from '../support/parse-metrics.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';
import { runDossier } from '../support/run-dossier.ts';
import { openSmallService } from '../support/small-service.ts';
import { startDossier } from '../support/start-dossier.ts';
import { startWorker } from '../support/start-worker.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const password = 'pass-word-of-redis';

function workplace(rows: number, env: Record<string, string>) {
  const folder = temporaryFolder();
  const domains = Array.from({ length: rows }, (_, index) => `company-${index}.com`);
  writeFileSync(join(folder.path, 'leads.csv'), `website\n${domains.join('\n')}\n`);
  const run = (...flags: string[]) =>
    runDossier(['run', 'leads.csv', '--no-worker', '--json', ...flags], { cwd: folder.path, env });
  const status = (...flags: string[]) =>
    runDossier(['status', ...flags], { cwd: folder.path, env });
  return { path: folder.path, run, status, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const rowsOf = (stdout: string) => (JSON.parse(stdout) as { rows: Record<string, number> }).rows;

testWithRedis(
  'a worker makes the calls of a run that only waits, and a platform can ask how it is',
  async () => {
    await using redis = await startRedis({ config: { requirepass: password } });
    await using service = await openSmallService();
    const share = redis.url.replace('//', `//:${password}@`);
    const env = { ...service.env, DOSSIER_SHARE: share };
    await using worker = await startWorker(env, ['--concurrency', '3']);
    using at = workplace(6, env);
    expect(await worker.ask('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    expect(await worker.ask('/readyz')).toEqual({ status: 200, text: 'ok\n' });
    expect((await worker.ask('/else')).status).toBe(404);
    expect((await fetch(`${worker.url}/metrics`, { method: 'POST' })).status).toBe(405);

    const { exitCode, stdout, stderr } = await at.run('--rate', '40');
    expect(exitCode, stderr).toBe(0);
    expect(rowsOf(stdout)).toMatchObject({ matched: 6, failed: 0 });
    const said = `Rate and answers are shared through Redis at 127.0.0.1:${redis.port}.`;
    expect(stderr).toContain(said);
    expect(service.seen.length).toBe(6);

    const { text } = await worker.ask('/metrics');
    const seen = await at.status('--share', '--json');
    expect(seen.exitCode, seen.stderr).toBe(0);
    expect(ShareJson.parse(JSON.parse(seen.stdout))).toMatchObject({
      service: service.url,
      redis: `127.0.0.1:${redis.port}`,
      members: [{ kind: 'worker', job: null, pid: worker.pid, concurrency: 3 }],
      answers: { count: 6 },
    });
    expect(seen.stdout).not.toContain(password);
    const hits = { operation: 'company', status: '2xx', verdict: 'hit' };
    expect(valueIn(text, 'dossier_worker_attempts_total', hits)).toBe(6);
    expect(valueIn(text, 'dossier_worker_attempt_duration_seconds_count')).toBe(6);
    expect(valueIn(text, 'dossier_worker_active')).toBe(0);
    expect(valueIn(text, 'dossier_worker_throttled_seconds_total')).toBe(0);
    expect(valueIn(text, 'dossier_share_calls', { state: 'waiting' })).toBe(0);
    expect(valueIn(text, 'dossier_share_workers')).toBe(1);

    expect(await worker.stop()).toBe(0);
    const events = worker
      .log()
      .split('\n')
      .filter((line) => line.includes('"worker.'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events).toMatchObject([
      { event: 'worker.started', service: service.url, concurrency: 3, rate: 'none' },
      { event: 'worker.stopping', active: 0 },
      { event: 'worker.stopped', attempts: 6 },
    ]);
    expect(events[0]?.redis).toBe(`Redis at 127.0.0.1:${redis.port}`);
    expect(worker.log()).not.toContain(password);
  },
);

testWithRedis(
  'a worker that is stopped gives back what has not left, and no question is asked twice',
  async () => {
    await using redis = await startRedis();
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    await using service = await openSmallService((_, index) => (index < 2 ? released : undefined));
    const env = { ...service.env, DOSSIER_SHARE: redis.url };
    await using worker = await startWorker(env, ['--concurrency', '6']);
    using at = workplace(8, env);
    // Two leave in a second, and others wait in the worker for the rate.
    const running = at.run('--rate', '2');
    await service.untilSeen(2);
    const stopped = worker.stop();
    await expect
      .poll(() => worker.ask('/readyz').catch(() => 'gone'))
      .toMatchObject({ status: 503 });
    expect(await worker.ask('/healthz')).toMatchObject({ status: 200 });
    release(undefined);
    expect(await stopped).toBe(0);
    const left = service.seen.length;
    expect(left).toBeLessThan(8);

    await using _another = await startWorker(env);
    const { exitCode, stdout, stderr } = await running;
    expect(exitCode, stderr).toBe(0);
    expect(rowsOf(stdout)).toMatchObject({ matched: 8 });
    expect(new Set(service.seen.map(({ path }) => path)).size).toBe(8);
    expect(service.seen.length).toBe(8);
  },
);

testWithRedis(
  'a worker whose Redis goes away is not ready until it is back, and then goes on',
  async () => {
    await using redis = await startRedis();
    await using service = await openSmallService();
    const env = { ...service.env, DOSSIER_SHARE: redis.url };
    await using worker = await startWorker(env);
    await redis.kill();
    await expect.poll(() => worker.ask('/readyz')).toMatchObject({ status: 503 });
    const { text } = await worker.ask('/readyz');
    expect(text).toMatch(/^Redis at 127\.0\.0\.1:\d+ has been away or full since 2\d{3}-.*Z\n$/);
    expect((await worker.ask('/healthz')).status).toBe(200);
    const metrics = await worker.ask('/metrics');
    expect(metrics.status).toBe(200);
    expect(valueIn(metrics.text, 'dossier_share_workers')).toBeUndefined();

    await redis.restart('lost');
    await expect.poll(() => worker.ask('/readyz')).toMatchObject({ status: 200 });
    using at = workplace(2, env);
    const { exitCode, stderr } = await at.run();
    expect(exitCode, stderr).toBe(0);
    expect(worker.log()).toContain('share.lost');
    expect(worker.log()).toContain('share.back');

    await redis.kill();
    await expect.poll(() => worker.ask('/readyz')).toMatchObject({ status: 503 });
    expect(await worker.stop()).toBe(0);
  },
);

testWithRedis(
  'a run that only waits says that no worker is there, and stops in the end',
  async () => {
    await using redis = await startRedis();
    await using service = await openSmallService();
    using at = workplace(2, {});
    const job = 'name: idle\ninput: { path: leads.csv }\nlimits: { maxWait: 2s }\n';
    writeFileSync(join(at.path, 'idle.yaml'), job);
    const { exitCode, stderr } = await runDossier(['run', 'idle.yaml', '--no-worker'], {
      cwd: at.path,
      env: { ...service.env, DOSSIER_SHARE: redis.url },
    });
    expect(exitCode, stderr).toBe(75);
    expect(stderr).toMatch(/share\.idle .*`dossier worker` starts one.*SHARE_IDLE: no worker/s);
    expect(service.seen).toHaveLength(0);
  },
);

testWithRedis('a second signal ends a worker at once', async () => {
  await using redis = await startRedis();
  await using service = await openSmallService(() => ({ neverAnswer: true }));
  const env = { ...service.env, DOSSIER_SHARE: redis.url };
  await using worker = await startWorker(env);
  using at = workplace(1, env);
  await using _run = startDossier(['run', 'leads.csv', '--no-worker'], { cwd: at.path, env });
  await service.untilSeen(1);
  void worker.stop();
  await expect.poll(() => worker.log()).toContain('worker.stopping');
  expect(await worker.stop()).toBe(143);
});

testWithRedis('a worker that cannot serve, and a look that cannot see, say why', async () => {
  await using redis = await startRedis({ config: { requirepass: password } });
  await using taken = await takenPort();
  const service = { DOSSIER_URL: 'http://127.0.0.1:1', DOSSIER_API_KEY: 'key-of-the-worker' };
  const share = redis.url.replace('//', `//:${password}@`);
  const cases: [string, Record<string, string>, number, string][] = [
    ['worker', {}, 64, 'no Redis is named that machines share'],
    [
      'worker --url embedded',
      { DOSSIER_SHARE: share },
      64,
      'sample data is answered in the process',
    ],
    ['worker --share redis://127.0.0.1:1', {}, 69, 'Redis at 127.0.0.1:1 cannot be reached'],
    ['worker', { DOSSIER_SHARE: share.replace('pass', 'fail') }, 77, 'the user'],
    [
      `worker --port ${taken.port}`,
      { DOSSIER_SHARE: share },
      69,
      `port ${taken.port} of 127.0.0.1`,
    ],
    ['status --share', {}, 64, 'no Redis is named that machines share'],
    ['status --share redis://127.0.0.1:1', {}, 69, 'Redis at 127.0.0.1:1 cannot be reached'],
    ['status --share', { DOSSIER_SHARE: share.replace('pass', 'fail') }, 77, 'the user'],
    ['worker leads-that-are-not-there.csv', { DOSSIER_SHARE: share }, 65, 'does not exist'],
  ];
  await Promise.all(
    cases.map(async ([line, env, code, words]) => {
      const { exitCode, stderr } = await runDossier(line.split(' '), {
        env: { ...service, ...env },
      });
      expect({ line, exitCode }, stderr).toEqual({ line, exitCode: code });
      expect(stderr).toContain(words);
      expect(stderr).not.toContain(password);
    }),
  );
});

async function takenPort() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
