import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { helpOf } from '../../scripts/docs/help-of.ts';
import { examineRedis } from '../../src/integrations/share/examine-redis.ts';
import { loadJob } from '../../src/job/load-job.ts';
import { resolveJob } from '../../src/job/resolve-job.ts';
import { openHostileServer } from '../support/hostile-server.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  byNumber,
  codesFor,
  flagsIn,
  killed,
  notAtOnce,
  readManifest,
  readSource,
} from './deploy-files.ts';

const [, jobs, cronJob] = readManifest('deploy/kubernetes/cronjob.yaml');
const { podFailurePolicy, template } = cronJob.spec.jobTemplate.spec;
const [container] = template.spec.containers;
/** Lists, results and ledgers in object storage: a pod without a volume. */
const [, jobsInStore, cronJobInStore] = readManifest('deploy/kubernetes/cronjob-s3.yaml');
const { template: inStore, ...ofJobInStore } = cronJobInStore.spec.jobTemplate.spec;
const [config, , redis] = readManifest('deploy/kubernetes/redis.yaml');
const redisSource = readSource('deploy/kubernetes/redis.yaml');

interface Named {
  readonly name: string;
}

test.each([
  ['cronjob.yaml', template.spec],
  ['cronjob-s3.yaml', inStore.spec],
  ['redis.yaml', redis.spec.template.spec],
])('the mounts of the pod of %s are declared', (file, pod) => {
  const declared = [...pod.volumes, ...(redis.spec.volumeClaimTemplates ?? [])].map(
    (volume) => volume.name ?? volume.metadata.name,
  );
  for (const { name, mountPath, readOnly = false } of pod.containers[0].volumeMounts) {
    expect(declared, file).toContain(name);
    expect(readOnly).toBe(mountPath !== '/data');
  }
});

test('every exit code is for a rule: again at once, or not', () => {
  const [moved, fatal, again] = podFailurePolicy.rules;
  expect(moved).toMatchObject({ action: 'Ignore' });
  // The interface wants them in order.
  expect(fatal).toMatchObject({ action: 'FailJob', onExitCodes: { values: notAtOnce() } });
  const soon = [...codesFor('soon'), killed].sort(byNumber);
  expect(again).toMatchObject({ action: 'Count', onExitCodes: { values: soon } });
  for (const { onExitCodes } of [fatal, again]) {
    expect(onExitCodes.containerName).toBe(container.name);
  }
  expect(cronJob.spec.concurrencyPolicy).toBe('Forbid');
  // A policy of failures is refused with any other.
  expect(template.spec.restartPolicy).toBe('Never');
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(40);
});

test('3 is a success there too, and a signal reaches Dossier before the pod ends', async () => {
  const [shell, ...words] = container.command;
  using folder = temporaryFolder();
  const fake = join(folder.path, 'node');
  const env = { PATH: `${folder.path}:${process.env.PATH}` };
  const endWith = async (script: string, signal?: NodeJS.Signals) => {
    writeFileSync(fake, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const child = spawn(shell, [...words, 'run'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    if (signal) child.stdout.once('data', () => child.kill(signal));
    const [code] = await once(child, 'exit');
    return code;
  };
  for (const code of [0, 4, 69, 75, 77, 143]) expect(await endWith(`exit ${code}`)).toBe(code);
  expect(await endWith('exit 3')).toBe(0);
  expect(await endWith('[ "$2" = run ] || exit 1; exit 69')).toBe(69);
  // The signal is sent once the shell of the manifest has its trap.
  const hasTrap = `grep -qE '^SigCgt:.*[4-7c-f][0-9a-f]{3}$' /proc/$PPID/status`;
  const wait = `while [ -e /proc/$PPID/status ] && ! ${hasTrap}; do sleep 0.01; done`;
  const saving = `trap 'sleep 0.3; exit 69' TERM; ${wait}; echo ready; while :; do sleep 0.05; done`;
  expect(await endWith(saving, 'SIGTERM')).toBe(69);
});

test('the image is of this version', () => {
  const { version } = JSON.parse(readSource('package.json'));
  expect(container.image).toBe(`registry.example.com/dossier:${version}`);
});

test('metrics go to a Pushgateway if there is one, and never change the exit code', async () => {
  await using gateway = await openHostileServer({ status: 202 });
  using folder = temporaryFolder();
  const file = container.args[container.args.indexOf('--metrics-file') + 1];
  expect(file).toBe('/data/metrics.prom');
  const metrics = 'dossier_run_exit_code{job_name="nightly"} 4\n';
  writeFileSync(join(folder.path, 'metrics.prom'), metrics);
  const [shell, flag, script, ...words] = container.command;
  const here = script
    .replaceAll('/data/', `${folder.path}/`)
    .replace('node /app/dist/main.js "$@"', 'sh -c "exit 4"');
  const endWith = async (url: string) => {
    const env = { PATH: process.env.PATH, PUSHGATEWAY_URL: url };
    const child = spawn(shell, [flag, here, ...words], { env, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    return code;
  };
  expect(await endWith(gateway.url)).toBe(4);
  expect(gateway.seen).toMatchObject([
    { method: 'PUT', path: '/metrics/job/dossier-nightly', body: metrics },
  ]);
  expect(await endWith('http://127.0.0.1:9')).toBe(4);
  expect(await endWith('')).toBe(4);
  expect(gateway.seen).toHaveLength(1);
  expect(container.env).toContainEqual({ name: 'PUSHGATEWAY_URL', value: '' });
});

test('a service that is down is tried for as long as by the others: about an hour', () => {
  const { backoffLimit } = cronJob.spec.jobTemplate.spec;
  const pauses = Array.from({ length: backoffLimit }, (_, at) => Math.min(360, 10 * 2 ** at));
  const minutes = pauses.reduce((sum, seconds) => sum + seconds, 0) / 60;
  const unit = readSource('deploy/systemd/dossier.service');
  const starts = Number(/^StartLimitBurst=(\d+)$/m.exec(unit)?.[1]);
  const between = Number(/^RestartSec=(\d+)min$/m.exec(unit)?.[1]);
  expect(minutes).toBeGreaterThanOrEqual((starts - 1) * between);
  expect(minutes).toBeLessThan(90);
  const airflow = readSource('deploy/airflow/dossier_nightly.py');
  expect(airflow).toContain(`retries=${starts - 1}, retry_delay=timedelta(minutes=${between})`);
  const dagster = readSource('deploy/dagster/dossier_nightly.py');
  expect(dagster).toContain(`max_retries=${starts - 1}, delay=${between * 60}`);
});

test('the user is the one of the image, and the key is a file', async () => {
  const { runAsUser, runAsGroup } = template.spec.securityContext;
  expect(readSource('Dockerfile')).toContain(`USER ${runAsUser}:${runAsGroup}`);
  const { args, env } = container;
  expect(args[args.indexOf('--key-file') + 1]).toBe('/run/secrets/dossier/key');
  expect(env.map(({ name }: Named) => name)).not.toContain('DOSSIER_API_KEY');
  const help = await helpOf(['run']);
  for (const flag of flagsIn(`${args.join(' ')} --new-ledger`)) expect(help).toContain(`${flag} `);
});

test('its job is valid and keeps everything on the volume', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'nightly.yaml');
  writeFileSync(path, jobs.data['nightly.yaml']);
  const env = Object.fromEntries(
    container.env.map((entry: Named & { value?: string }) => [entry.name, entry.value ?? '']),
  );
  const { job } = loadJob(path, env);
  for (const place of [job.input.path, ...[job.output].flat().map(({ path }) => path)])
    expect(place).toMatch(/^\/data\//);
  expect(job).toMatchObject({
    service: { price: { currency: expect.any(String) } },
    budget: { perStart: expect.any(Number), perMonth: expect.any(Number) },
    ledger: { path: '/data/ledger.db', mustExist: true },
  });
  // Somebody has to make it, so the head of the file says how.
  expect(readSource('deploy/kubernetes/cronjob.yaml')).toContain('.args += ["--new-ledger"]');
  // The addresses are secrets, and where they are not set nobody is told.
  const { onCall, services } = resolveJob(
    { job, path, positionOf: () => undefined },
    { flags: {}, env, cwd: '/' },
  );
  expect(services[0].share?.reveal(env)).toBeUndefined();
  const given = {
    SLACK_WEBHOOK: 'https://chat.example.com',
    HEARTBEAT_URL: 'https://m.example.com',
  };
  for (const address of [onCall.notify?.address, onCall.heartbeat]) {
    expect(address?.reveal({})).toBeUndefined();
    expect(address?.reveal(given)).toBeInstanceOf(URL);
  }
  expect(Object.keys(env)).toEqual(expect.arrayContaining(Object.keys(given)));
});

test('a pod without a volume is treated as one with a volume is, and all that lasts is in one bucket', () => {
  expect({ ...cronJobInStore.spec, jobTemplate: null }).toEqual({
    ...cronJob.spec,
    jobTemplate: null,
  });
  const { template: other, ...ofJob } = cronJob.spec.jobTemplate.spec;
  expect(ofJobInStore).toEqual(ofJob);
  expect(inStore.spec.securityContext).toEqual(other.spec.securityContext);
  const [pod] = inStore.spec.containers;
  const { image, args, command } = container;
  expect(pod).toMatchObject({ image, args, command });
  // After the answers on the wire the ledger is stored, which takes minutes where it is large.
  expect(inStore.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
    other.spec.terminationGracePeriodSeconds + 120,
  );
  const { input, output, ledger } = parse(jobsInStore.data['nightly.yaml']);
  const addresses: string[] = [input.path, output[0].path, ledger.snapshot];
  const buckets = addresses.map((address) => /^s3:\/\/([a-z-]+)\//.exec(address)?.[1]);
  expect([...new Set(buckets)]).toEqual([expect.any(String)]);
  expect(ledger.mustExist).toBe(true);
  // A list at an address is copied to a temporary file, and the root is read-only.
  expect(pod.env).toContainEqual({ name: 'TMPDIR', value: '/data' });

  // Somebody has to make the first snapshot and the secret, so the head of the file says how.
  const manifest = readSource('deploy/kubernetes/cronjob-s3.yaml');
  expect(manifest).toContain('.args += ["--new-ledger"]');
  expect(manifest).toContain('create secret generic dossier-store --from-literal=id=');
});

/** `password` → what the head of the manifest puts into the secret. */
function usersOf(password: string): string {
  const [, line = ''] = /printf '(.*)' \\$/m.exec(redisSource) ?? [];
  return line.replaceAll('\\n', '\n').replace('%s', password);
}

testWithRedis(
  'the Redis of the manifest is one that runs can share, by its user alone',
  async () => {
    using folder = temporaryFolder();
    const acl = join(folder.path, 'users.acl');
    writeFileSync(acl, usersOf('w0rd'));
    const text: string = config.data['redis.conf'];
    const lines = text.split('\n').filter((line) => /^[a-z]/.test(line));
    const written = Object.fromEntries(lines.map((line) => line.split(/ (.*)/).slice(0, 2)));
    expect(written).toMatchObject({ dir: '/data', aclfile: '/etc/redis-users/users.acl' });
    const { dir: _, ...settings } = written;
    await using server = await startRedis({ config: { ...settings, aclfile: acl } });
    const examine = async (credentials: string) =>
      await examineRedis(new URL(server.url.replace('//', `//${credentials}`)));
    expect(await examine('dossier:w0rd@')).not.toHaveProperty('advice');
    await expect(examine('')).rejects.toMatchObject({ code: 'SHARE_REFUSED' });
  },
);
