import { expect, test } from 'vitest';
import { withoutSecrets } from '../../src/core/values/known-secrets.ts';
import { Job } from '../../src/job/job-schema.ts';
import { parseJob } from '../../src/job/load-job.ts';
import { type JobContext, resolveJob } from '../../src/job/resolve-job.ts';

const fromJob = 'redis://job-host:6379';
const fromVariable = 'rediss://:vari@able-host';

test.each([
  ['the flag', { flags: { share: 'redis://flag-host' } }, 'redis://flag-host'],
  ['the variable', {}, fromVariable],
  ['the job', { env: {} }, fromJob],
])('%s names the Redis, if nothing before it does', (_, given, expected) => {
  const context = { env: { DOSSIER_SHARE: fromVariable }, ...given };
  const share = shareOf(fromJob, context);
  expect(share?.reveal(context.env)?.href).toBe(expected);
});

test('a variable that is set and empty turns sharing off; one that the job needs must be set', () => {
  const off = { DOSSIER_SHARE: '' };
  expect(shareOf(fromJob, { env: off })?.reveal(off)).toBeUndefined();
  expect(shareOf(`\${DOSSIER_SHARE:-}`)?.reveal({})).toBeUndefined();
  expect(() => shareOf(`\${TEAM_REDIS}`)?.reveal({})).toThrow(
    'service.share: the environment variable TEAM_REDIS is not set',
  );
});

test('a dollar sign of a flag is one of the password, which is guarded from then on', () => {
  const share = shareOf(undefined, { flags: { share: 'redis://:pa$$w0rd@host' } });
  expect(share?.reveal({})?.password).toBe('pa$$w0rd');
  expect(withoutSecrets('--share redis://:pa$$w0rd@host, pa$$w0rd')).toBe(
    '--share [redacted], [redacted]',
  );
});

test.each(['http://host', 'redis:host', 'redis://host/name'])(
  '%s is refused as a flag, a key and a variable',
  (url) => {
    const job = (share: string) => ({ ...minimal, service: { url: 'https://service', share } });
    expect(() => shareOf(undefined, { flags: { share: url } })).toThrow('--share: expected');
    expect(Job.safeParse(job(url)).success).toBe(false);
    const env = { DOSSIER_SHARE: url };
    expect(() => shareOf(undefined, { env })?.reveal(env)).toThrow(
      'DOSSIER_SHARE is not a URL such as redis://',
    );
  },
);

test('a job with a wrong share address is refused without showing it', () => {
  const service = 'service:\n  share: redis+tls://u:s3cretWord@host';
  const load = () =>
    parseJob('leads.yaml', `name: leads\ninput: {path: leads.csv}\n${service}\n`, {});
  expect(load).toThrow(/leads\.yaml:4:\d+: service\.share.*found something else/);
  expect(load).not.toThrow('s3cretWord');
});

test('sample data is never shared', () => {
  const [service] = resolveJob(loaded({ url: 'embedded', share: fromJob }), {
    flags: {},
    env: {},
    cwd: '/',
  }).services;
  expect(service.share).toBeUndefined();
});

const minimal = { name: 'leads', input: { path: 'leads.csv' } };

function loaded(service: object) {
  const job = Job.parse({ ...minimal, service });
  return { job, path: '/jobs/a.yaml', positionOf: () => undefined };
}

function shareOf(share: string | undefined, context: Partial<JobContext> = {}) {
  const service = { url: 'https://service', ...(share !== undefined && { share }) };
  return resolveJob(loaded(service), { flags: {}, env: {}, cwd: '/', ...context }).services[0]
    .share;
}
