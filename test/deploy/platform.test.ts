import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { helpOf } from '../../src/cli/program.ts';
import { packagePath } from '../../src/core/runtime/package-path.ts';
import { flagsIn, readSource } from './deploy-files.ts';
import { ConfigMap, CronJob, readManifest } from './kubernetes-shapes.ts';

/* Lists, results and ledgers in object storage: the CronJob without a volume, and Compose with a store. */

const ServiceAccount = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('ServiceAccount'),
  metadata: z.strictObject({
    name: z.string(),
    annotations: z.record(z.string(), z.string()),
  }),
});

const manifest = readSource('deploy/kubernetes/cronjob-s3.yaml');
const [account, jobs, cronJob] = z
  .tuple([ServiceAccount, ConfigMap, CronJob])
  .parse(readManifest('deploy/kubernetes/cronjob-s3.yaml'));
const { template, ...ofJob } = cronJob.spec.jobTemplate.spec;
const [container] = template.spec.containers;

/** The part of a job that says where things are. */
const Places = z.object({
  input: z.strictObject({ path: z.string() }),
  output: z.tuple([
    z.strictObject({ path: z.string(), format: z.tuple([z.literal('parquet')]) }),
    z.strictObject({ postgres: z.string().regex(/^\$\{WAREHOUSE_URL\}$/), schema: z.string() }),
  ]),
  ledger: z.strictObject({
    path: z.literal('/data/ledger.db'),
    snapshot: z.string(),
    every: z.string(),
    mustExist: z.literal(true).optional(),
  }),
});

/** The job of the manifest with the place in PostgreSQL, which it has as a comment. */
const inTables = jobs.data['nightly.yaml'].replaceAll(/# (?=- postgres| {2}schema)/g, '');

test('a pod without a volume is treated as one with a volume is', () => {
  const [, withVolume] = readManifest('deploy/kubernetes/cronjob.yaml').slice(1);
  const plain = CronJob.parse(withVolume).spec;
  expect({ ...cronJob.spec, jobTemplate: null }).toEqual({ ...plain, jobTemplate: null });
  const { template: other, ...ofOther } = plain.jobTemplate.spec;
  expect(ofJob).toEqual(ofOther);
  expect(template.spec.securityContext).toEqual(other.spec.securityContext);
  const [{ image, args }] = other.spec.containers;
  expect(container).toMatchObject({ image, args });
  // After the answers on the wire the ledger is stored, which takes minutes where it is large.
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
    other.spec.terminationGracePeriodSeconds + 120,
  );
});

test('its disk goes with it, and all that lasts is in one bucket', () => {
  const { volumes } = template.spec;
  expect(volumes.map((volume) => Object.keys(volume).at(-1))).toEqual([
    'emptyDir',
    'configMap',
    'secret',
  ]);
  expect(volumes[1]?.configMap?.name).toBe(jobs.metadata.name);
  for (const { name, mountPath, readOnly } of container.volumeMounts) {
    expect(volumes.map((volume) => volume.name)).toContain(name);
    expect(readOnly).toBe(mountPath !== '/data');
  }
  const { input, output, ledger } = Places.parse(parse(inTables));
  const addresses = [input.path, output[0].path, ledger.snapshot];
  const buckets = addresses.map((address) => /^s3:\/\/([a-z-]+)\//.exec(address)?.[1]);
  expect(new Set(buckets).size).toBe(1);
  expect(ledger.mustExist).toBe(true);
  // A list at an address is copied to a temporary file, and the root is read-only.
  expect(container.env).toContainEqual({ name: 'TMPDIR', value: '/data' });
  // Somebody has to make the first snapshot, so the head of the file says how.
  expect(manifest).toContain('.args += ["--new-ledger"]');
});

test('credentials come from the role of its account or from a secret, and are in no file', () => {
  expect(template.spec.serviceAccountName).toBe(account.metadata.name);
  const secrets = Object.fromEntries(
    container.env.flatMap((entry) =>
      'valueFrom' in entry ? [[entry.name, entry.valueFrom.secretKeyRef]] : [],
    ),
  );
  // Each may be absent: then the role is taken, nothing is loaded, and nobody is told.
  for (const { optional } of Object.values(secrets)) expect(optional).toBe(true);
  expect(Object.keys(secrets)).toEqual([
    ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'WAREHOUSE_URL'],
    ...['HEARTBEAT_URL', 'SLACK_WEBHOOK'],
  ]);
  expect(manifest).toContain('create secret generic dossier-store --from-literal=id=');
});

const Healthy = z.strictObject({ condition: z.literal('service_healthy') });
const Completed = z.strictObject({ condition: z.literal('service_completed_successfully') });
const hardened = {
  image: z.string().regex(/^(dossier:latest|[a-z/]+:[\d.]+)$/),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
};
const variables = z.record(z.string(), z.string());
const health = z.strictObject({
  test: z.tuple([z.literal('CMD')], z.string()),
  interval: z.string(),
  retries: z.int(),
});
/** Programs of others, which are no root either. */
const Server = {
  ...hardened,
  user: z.string(),
  environment: variables,
  volumes: z.tuple([z.string()]),
  healthcheck: health,
};
const ofDossier = { ...hardened, read_only: z.literal(true), environment: variables };
const Compose = z.strictObject({
  name: z.string(),
  'x-hardened': z.unknown(),
  'x-store': z.unknown(),
  services: z.strictObject({
    store: z.strictObject({ ...Server, command: z.tuple([z.literal('mini')], z.string()) }),
    warehouse: z.strictObject(Server),
    service: z.strictObject({
      ...ofDossier,
      build: z.strictObject({ context: z.literal('..') }),
      command: z.tuple([z.literal('serve')], z.string()),
    }),
    list: z.strictObject({
      ...ofDossier,
      depends_on: z.strictObject({ store: Healthy }),
      working_dir: z.literal('/app'),
      entrypoint: z.tuple([z.literal('node')], z.string()),
      command: z.tuple([z.string()]),
    }),
    run: z.strictObject({
      ...ofDossier,
      depends_on: z.strictObject({ list: Completed, service: Healthy, warehouse: Healthy }),
      command: z.tuple([z.literal('run'), z.literal('/app/deploy/platform.yaml')]),
      tmpfs: z.tuple([z.literal('/data:uid=10001,gid=10001')]),
      stop_grace_period: z.literal('420s'),
    }),
  }),
  volumes: z.strictObject({ store: z.null(), warehouse: z.null() }),
});
const { services } = Compose.parse(
  parse(readSource('deploy/compose.platform.yaml'), { merge: true }),
);

test('the Compose file gives the run its list, its store and its tables', async () => {
  const { store, warehouse, service, list, run } = services;
  const job = Places.parse(parse(readSource('deploy/platform.yaml')));
  const bucket = store.command.find((word) => word.startsWith('-bucket='))?.split('=')[1];
  for (const address of [job.input.path, job.output[0].path, job.ledger.snapshot]) {
    expect(address.startsWith(`s3://${bucket}/`), address).toBe(true);
  }
  expect(run.environment).toMatchObject(list.environment);
  expect(list.environment).toMatchObject({
    ...store.environment,
    AWS_ENDPOINT_URL: 'http://store:8333',
  });
  expect(store.healthcheck.test.join(' ')).toContain(':8333/');
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = warehouse.environment;
  expect(run.environment.WAREHOUSE_URL).toBe(
    `postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@warehouse:5432/${POSTGRES_DB}`,
  );
  expect(run.environment.DOSSIER_URL).toBe('http://service:8787');
  expect(run.environment.DOSSIER_API_KEY).toBe(service.environment.DOSSIER_SERVICE_KEYS);
  const help = await helpOf(['serve']);
  for (const flag of flagsIn(service.command.join(' '))) expect(help).toContain(`${flag} `);
});

test('the page about platforms goes through the job of the Compose file', () => {
  const [, shown = ''] = /^```yaml\n(.*?)^```$/ms.exec(readSource('docs/platform.md')) ?? [];
  expect(parse(shown)).toEqual(parse(readSource('deploy/platform.yaml')));
});

test('its list is put into the bucket by the packages of the image', async () => {
  const put: { url: string | undefined; body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    put.push({ url: request.url, body: await buffer(request) });
    response.setHeader('etag', '"1"').end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { entrypoint, command, environment } = services.list;
  const script = command[0].replace("'/app/", `'${packagePath('.').replace(/\/?$/, '/')}`);
  await promisify(execFile)(process.execPath, [...entrypoint.slice(1), script], {
    cwd: packagePath('.'),
    env: { ...environment, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` },
  });
  server.close();
  expect(put.map(({ url }) => url)).toEqual(['/leads/in/leads.csv?x-id=PutObject']);
  expect(put[0]?.body.toString()).toContain(readSource('fixtures/leads/leads.csv').slice(0, 200));
});
