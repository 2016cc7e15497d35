import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { helpOf } from '../../src/cli/program.ts';
import { examineRedis } from '../../src/share/redis/examine-redis.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { flagsIn, readSource } from './deploy-files.ts';
import {
  ClaimSpec,
  ContainerSecurity,
  Env,
  Named,
  PodSecurity,
  readManifest,
  VolumeMounts,
  Volumes,
} from './kubernetes-shapes.ts';

const shareSecret = 'dossier-share';

const Probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.literal('health') }).optional(),
  tcpSocket: z.strictObject({ port: z.literal('redis') }).optional(),
  periodSeconds: z.int().optional(),
  failureThreshold: z.int().optional(),
});
const Container = z.strictObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  env: Env.default([]),
  ports: z.tuple([z.strictObject({ name: z.string(), containerPort: z.int() })]),
  readinessProbe: Probe,
  livenessProbe: Probe,
  resources: z.unknown(),
  securityContext: ContainerSecurity,
  volumeMounts: VolumeMounts,
});
const Labels = z.record(z.string(), z.string());
const PodTemplate = z.strictObject({
  metadata: z.strictObject({ labels: Labels, annotations: Labels.optional() }),
  spec: z.strictObject({
    terminationGracePeriodSeconds: z.int().min(40).optional(),
    automountServiceAccountToken: z.literal(false),
    securityContext: PodSecurity,
    containers: z.tuple([Container]),
    volumes: Volumes,
  }),
});
const Workload = {
  apiVersion: z.literal('apps/v1'),
  metadata: Named,
};
const scale = {
  replicas: z.int().positive(),
  selector: z.strictObject({ matchLabels: Labels }),
  template: PodTemplate,
};
const Deployment = z.strictObject({
  ...Workload,
  kind: z.literal('Deployment'),
  spec: z.strictObject(scale),
});
const StatefulSet = z.strictObject({
  ...Workload,
  kind: z.literal('StatefulSet'),
  spec: z.strictObject({
    ...scale,
    serviceName: z.string(),
    volumeClaimTemplates: z.tuple([z.strictObject({ metadata: Named, spec: ClaimSpec })]),
  }),
});
const ConfigMap = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('ConfigMap'),
  metadata: Named,
  data: z.strictObject({ 'redis.conf': z.string() }),
});
const Service = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata: Named,
  spec: z.strictObject({
    selector: Labels,
    ports: z.tuple([z.strictObject({ name: z.string(), port: z.literal(6379) })]),
  }),
});

const redisSource = readSource('deploy/kubernetes/redis.yaml');
const [config, service, redis] = z
  .tuple([ConfigMap, Service, StatefulSet])
  .parse(readManifest('deploy/kubernetes/redis.yaml'));
const [worker] = z.tuple([Deployment]).parse(readManifest('deploy/kubernetes/worker.yaml'));

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
    const lines = config.data['redis.conf'].split('\n').filter((line) => /^[a-z]/.test(line));
    const written = Object.fromEntries(lines.map((line) => line.split(/ (.*)/).slice(0, 2)));
    expect(written).toMatchObject({ dir: '/data', aclfile: '/etc/redis-users/users.acl' });
    const { dir: _, ...settings } = written;
    await using server = await startRedis({ config: { ...settings, aclfile: acl } });
    const findings = async (credentials: string) => {
      const address = new URL(server.url.replace('//', `//${credentials}`));
      const found = await examineRedis(address, { maxBytes: 256e6 });
      return found.flatMap(({ about, advice, error }) => (error || advice ? [about] : []));
    };
    expect(await findings('dossier:w0rd@')).toEqual([]);
    expect(await findings('')).toEqual(['reached']);
  },
);

test('what selects pods finds them, and Redis is where the secret says', () => {
  for (const { spec } of [redis, worker]) {
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  }
  expect(service.spec.selector).toEqual(redis.spec.selector.matchLabels);
  expect(redis.spec.serviceName).toBe(service.metadata.name);
  expect(redisSource).toContain(`@${service.metadata.name}:${service.spec.ports[0].port}`);
  const [{ args, volumeMounts }] = redis.spec.template.spec.containers;
  const mounted = volumeMounts.map(({ mountPath }) => mountPath);
  expect(mounted).toEqual(['/data', '/etc/redis', '/etc/redis-users']);
  expect(args).toEqual(['redis-server', '/etc/redis/redis.conf']);
  expect(redis.spec.template.spec.volumes[1]?.secret?.secretName).toBe(shareSecret);
});

test('a worker is probed where it listens, has the user of the image, and keeps no state', async () => {
  const { spec, metadata } = worker.spec.template;
  const [{ args, ports, livenessProbe, readinessProbe, volumeMounts, env }] = spec.containers;
  expect([livenessProbe.httpGet?.path, readinessProbe.httpGet?.path]).toEqual([
    '/healthz',
    '/readyz',
  ]);
  const port = String(ports[0].containerPort);
  expect(args[args.indexOf('--port') + 1]).toBe(port);
  expect(metadata.annotations).toMatchObject({ 'prometheus.io/port': port });
  expect(readSource('scripts/healthcheck.ts')).toContain(`worker: '${port}'`);
  const { runAsUser, runAsGroup } = spec.securityContext;
  expect(readSource('Dockerfile')).toContain(`USER ${runAsUser}:${runAsGroup}`);
  expect(volumeMounts.every(({ readOnly }) => readOnly)).toBe(true);
  expect(env.map(({ name }) => name)).toEqual(['DOSSIER_URL', 'DOSSIER_SHARE']);
  expect(env[1]).toMatchObject({ valueFrom: { secretKeyRef: { name: shareSecret, key: 'url' } } });
  expect(args[0]).toBe('worker');
  const help = await helpOf(['worker']);
  for (const flag of flagsIn(args.join(' '))) expect(help).toContain(flag);
});

test('workers and the nightly run have the same image, service, key, job and Redis', () => {
  const nightly = readSource('deploy/kubernetes/cronjob.yaml');
  const [{ image, env, args }] = worker.spec.template.spec.containers;
  expect(nightly).toContain(`image: ${image}`);
  for (const word of ['/etc/dossier/nightly.yaml', '/run/secrets/dossier/key']) {
    expect(args).toContain(word);
    expect(nightly).toContain(`- ${word}`);
  }
  const [url] = env;
  expect(nightly).toContain(`value: ${url && 'value' in url ? url.value : ''}`);
  expect(nightly).toContain(`secretKeyRef: { name: ${shareSecret}, key: url, optional: true }`);
  const names = worker.spec.template.spec.volumes.map(
    ({ configMap, secret }) => configMap?.name ?? secret?.secretName,
  );
  for (const name of names) expect(nightly).toContain(`ame: ${name}`);
});

const Healthy = z.strictObject({ condition: z.literal('service_healthy') });
const ComposeService = z.strictObject({
  image: z.string(),
  build: z.strictObject({ context: z.literal('..') }).optional(),
  user: z.literal('redis').optional(),
  command: z.array(z.string()),
  environment: Labels.default({}),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  depends_on: z.strictObject({ redis: Healthy, service: Healthy }).optional(),
  deploy: z.strictObject({ replicas: z.literal(2) }).optional(),
  healthcheck: z.strictObject({ test: z.array(z.string()), interval: z.string() }).optional(),
  restart: z.literal('unless-stopped').optional(),
  volumes: z.tuple([z.string()]).optional(),
  stop_grace_period: z.literal('60s').optional(),
});
const Compose = z.strictObject({
  name: z.string(),
  'x-hardened': z.unknown(),
  'x-shared': z.unknown(),
  services: z.strictObject({
    ...{ redis: ComposeService, service: ComposeService },
    ...{ worker: ComposeService, run: ComposeService },
  }),
  volumes: z.strictObject({ data: z.null(), redis: z.null() }),
});

test('the Compose file has two workers and a run that share a Redis which evicts nothing', async () => {
  const file = parse(readSource('deploy/compose.shared.yaml'), { merge: true });
  const { services } = Compose.parse(file);
  const { worker: workers, run } = services;
  expect(workers.environment).toEqual(run.environment);
  expect(run.environment).toMatchObject({
    DOSSIER_URL: 'http://service:8787',
    DOSSIER_SHARE: 'redis://redis:6379',
  });
  expect([workers.deploy?.replicas, workers.depends_on]).toEqual([2, run.depends_on]);
  expect(services.redis.command.join(' ')).toContain('--maxmemory-policy noeviction');
  const help = await helpOf(['worker']);
  for (const flag of flagsIn(workers.command.join(' '))) expect(help).toContain(flag);
});
