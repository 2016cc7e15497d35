import { expect, test } from 'vitest';
import { prepareConnection } from '../../src/cli/connect.ts';
import { openLog } from '../../src/core/runtime/log/log.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { companyCall, noAbort } from '../support/client-under-test.ts';
import { openHostileServer } from '../support/hostile-server.ts';
import { testJob } from '../support/test-job.ts';

const log = openLog({ format: 'text', level: 'error' });
const facts = { isProven: false };

function connectTo(service: ResolvedJob['service']) {
  return prepareConnection(testJob({ service }), log, () => {});
}

test('a missing key is told before a client is opened', () => {
  const key = { from: 'environment', name: 'NO_SUCH_KEY' } as const;
  expect(() => connectTo({ url: 'http://127.0.0.1:9', key })).toThrow(
    expect.objectContaining({ code: 'KEY_MISSING' }),
  );
});

test('the service of a job is asked with the key of the job', async () => {
  await using server = await openHostileServer({ body: '{"id":"7"}' });
  process.env.KEY_OF_THE_JOB = 'secret-key-1234';
  const key = { from: 'environment', name: 'KEY_OF_THE_JOB' } as const;
  await using client = await connectTo({ url: server.url, key })(facts);
  delete process.env.KEY_OF_THE_JOB;
  expect(await client.send(companyCall, noAbort)).toMatchObject({ kind: 'hit', companyId: '7' });
  expect(server.seen[0]?.headers).toMatchObject({ authorization: 'Bearer secret-key-1234' });
});

test('the embedded service answers for as long as its client is open', async () => {
  const client = await connectTo({ url: 'embedded', key: { from: 'nowhere' } })(facts);
  expect(await client.send(companyCall, noAbort)).toMatchObject({ status: expect.any(Number) });
  await client[Symbol.asyncDispose]();
  await expect(client.send(companyCall, noAbort)).rejects.toThrow('The client is closed.');
});
