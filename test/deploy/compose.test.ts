import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { helpOf } from '../../scripts/docs/help-of.ts';
import { packagePath } from '../../src/platform/package-path.ts';
import { openHostileServer } from '../support/hostile-server.ts';
import { flagsIn, readCompose, readSource } from './deploy-files.ts';

const files = ['compose', 'compose.shared', 'compose.platform'].map(
  (name) => `deploy/${name}.yaml`,
);
const platform = readCompose('deploy/compose.platform.yaml');

describe.each(files)('%s', (path) => {
  const { services, volumes } = readCompose(path);

  test.each(Object.keys(services))('%s may do little, and finds what it needs', async (name) => {
    const { image, user, command, depends_on = {}, volumes: mounted = [], ...its } = services[name];
    expect(its).toMatchObject({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    const isOurs = image === 'dossier:latest';
    if (isOurs) expect(its.read_only).toBe(true);
    else expect(user).not.toBeUndefined();
    for (const other of Object.keys(depends_on)) expect(Object.keys(services)).toContain(other);
    for (const volume of mounted) expect(Object.keys(volumes)).toContain(volume.split(':')[0]);
    if (!isOurs || !['run', 'serve'].includes(command[0])) return;
    const help = await helpOf([command[0]]);
    for (const flag of flagsIn(command.join(' '))) expect(help).toContain(`${flag} `);
    // An answer on the wire has 30 seconds, and Compose would kill after ten.
    if (command[0] === 'run')
      expect(Number.parseInt(its.stop_grace_period, 10)).toBeGreaterThan(40);
  });
});

test('the job of the platform keeps to its bucket, and is that of the documents', () => {
  const { store } = platform.services;
  const job = parse(readSource('deploy/platform.yaml'));
  const bucket = store.command.find((word: string) => word.startsWith('-bucket=')).split('=')[1];
  for (const address of [job.input.path, job.output[0].path, job.ledger.snapshot]) {
    expect(address.startsWith(`s3://${bucket}/`), address).toBe(true);
  }
  const [, shown = ''] = /^```yaml\n(.*?)^```$/ms.exec(readSource('docs/platform.md')) ?? [];
  expect(parse(shown)).toEqual(job);
});

test('its list is put into the bucket by the packages of the image', async () => {
  await using store = await openHostileServer({ headers: { etag: '"1"' } });
  const { entrypoint, command, environment } = platform.services.list;
  const script = command[0].replace("'/app/", `'${packagePath('.').replace(/\/?$/, '/')}`);
  await promisify(execFile)(process.execPath, [...entrypoint.slice(1), script], {
    cwd: packagePath('.'),
    env: { ...environment, AWS_ENDPOINT_URL: store.url },
  });
  expect(store.seen.map(({ path }) => path)).toEqual(['/leads/in/leads.csv?x-id=PutObject']);
  expect(store.seen[0]?.body).toContain(readSource('fixtures/leads/leads.csv').slice(0, 200));
});
