import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { helpOf } from '../../src/cli/program.ts';
import { loadJob } from '../../src/job/load-job.ts';
import { resolveJob } from '../../src/job/resolve-job.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { byNumber, codesFor, flagsIn, killed, notAtOnce, readSource } from './deploy-files.ts';
import { ClaimSpec, ConfigMap, CronJob, Named, readManifest } from './kubernetes-shapes.ts';

const Claim = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('PersistentVolumeClaim'),
  metadata: Named,
  spec: ClaimSpec,
});

const documents = readManifest('deploy/kubernetes/cronjob.yaml');
const [claim, jobs, cronJob] = z.tuple([Claim, ConfigMap, CronJob]).parse(documents);
const { podFailurePolicy, template } = cronJob.spec.jobTemplate.spec;
const [container] = template.spec.containers;

test('every exit code is for a rule: again at once, or not', () => {
  const [moved, fatal, again] = podFailurePolicy.rules;
  expect(moved).toMatchObject({
    action: 'Ignore',
    onPodConditions: [{ type: 'DisruptionTarget' }],
  });
  // The interface wants them in order.
  expect(fatal).toMatchObject({ action: 'FailJob', onExitCodes: { values: notAtOnce() } });
  const soon = [...codesFor('soon'), killed].sort(byNumber);
  expect(again).toMatchObject({ action: 'Count', onExitCodes: { values: soon } });
  for (const { onExitCodes } of [fatal, again].filter((rule) => rule !== undefined)) {
    expect(onExitCodes?.containerName).toBe(container.name);
  }
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
  const saving = `trap 'sleep 0.3; exit 69' TERM; echo ready; while :; do sleep 0.05; done`;
  expect(await endWith(saving, 'SIGTERM')).toBe(69);
});

test('a service that is down is tried for as long as by the others: about an hour', () => {
  const { backoffLimit } = cronJob.spec.jobTemplate.spec;
  const pauses = Array.from({ length: backoffLimit }, (_, index) => Math.min(360, 10 * 2 ** index));
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

test('what is mounted is declared, and all that is not data is read-only', () => {
  const { volumes } = template.spec;
  for (const { name, mountPath, readOnly } of container.volumeMounts) {
    expect(volumes.map((volume) => volume.name)).toContain(name);
    expect(readOnly).toBe(mountPath !== '/data');
  }
  expect(volumes[0]?.persistentVolumeClaim?.claimName).toBe(claim.metadata.name);
  expect(volumes[1]?.configMap?.name).toBe(jobs.metadata.name);
});

test('the user is the one of the image, and the key is a file', async () => {
  const { runAsUser, runAsGroup } = template.spec.securityContext;
  expect(readSource('Dockerfile')).toContain(`USER ${runAsUser}:${runAsGroup}`);
  const { args, env } = container;
  expect(args[args.indexOf('--key-file') + 1]).toBe('/run/secrets/dossier/key');
  expect(env.map(({ name }) => name)).not.toContain('DOSSIER_API_KEY');
  const help = await helpOf(['run']);
  for (const flag of flagsIn(`${args.join(' ')} --new-ledger`)) expect(help).toContain(`${flag} `);
});

test('its job is valid and keeps everything on the volume', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'nightly.yaml');
  writeFileSync(path, jobs.data['nightly.yaml']);
  const env = Object.fromEntries(
    container.env.map((entry) => [entry.name, 'value' in entry ? entry.value : '']),
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
  const { onCall, service } = resolveJob(
    { job, path, placeOf: () => undefined },
    { flags: {}, env, cwd: '/' },
  );
  expect(service.share?.address.reveal(env)).toBeUndefined();
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
