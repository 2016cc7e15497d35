import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { examineRedis } from '../../src/reach/share/examine-redis.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readSource } from './deploy-files.ts';
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
  tcpSocket: z.strictObject({ port: z.literal('redis') }),
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
  expect(redis.spec.template.metadata.labels).toEqual(redis.spec.selector.matchLabels);
  expect(service.spec.selector).toEqual(redis.spec.selector.matchLabels);
  expect(redis.spec.serviceName).toBe(service.metadata.name);
  expect(redisSource).toContain(`@${service.metadata.name}:${service.spec.ports[0].port}`);
  const [{ args, volumeMounts }] = redis.spec.template.spec.containers;
  const mounted = volumeMounts.map(({ mountPath }) => mountPath);
  expect(mounted).toEqual(['/data', '/etc/redis', '/etc/redis-users']);
  expect(args).toEqual(['redis-server', '/etc/redis/redis.conf']);
  expect(redis.spec.template.spec.volumes[1]?.secret?.secretName).toBe(shareSecret);
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
  healthcheck: z.strictObject({ test: z.array(z.string()), interval: z.string() }).optional(),
  volumes: z.tuple([z.string()]).optional(),
  stop_grace_period: z.literal('60s').optional(),
});
const Compose = z.strictObject({
  name: z.string(),
  'x-hardened': z.unknown(),
  'x-run': z.unknown(),
  services: z.strictObject({
    redis: ComposeService,
    service: ComposeService,
    crow: ComposeService,
    wren: ComposeService,
  }),
  volumes: z.strictObject({ data: z.null(), redis: z.null() }),
});

test('the Compose file has two runs that share a Redis which evicts nothing', () => {
  const file = parse(readSource('deploy/compose.shared.yaml'), { merge: true });
  const { services } = Compose.parse(file);
  const { crow, wren } = services;
  expect(crow.environment).toEqual(wren.environment);
  expect(crow.environment).toMatchObject({
    DOSSIER_URL: 'http://service:8787',
    DOSSIER_SHARE: 'redis://redis:6379',
  });
  // Each run has a ledger and files of its own.
  expect(crow.command).not.toEqual(wren.command);
  expect(services.redis.command.join(' ')).toContain('--maxmemory-policy noeviction');
});
