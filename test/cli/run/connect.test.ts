import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareConnection } from '../../../src/cli/run/connect.ts';
import type { ResolvedJob } from '../../../src/job/resolve-job.ts';
import { openLog } from '../../../src/runtime/log.ts';
import { testJob } from '../../support/test-job.ts';

/** What a thread that has ended has for an id. */
const ended = -1;
const log = openLog({ format: 'text', level: 'error' });
const fast: Partial<ResolvedJob['limits']> = { rate: 'none', concurrency: 64 };

function connectionOf(url: string, limits: Partial<ResolvedJob['limits']>) {
  const job = testJob();
  const wanted = {
    ...job,
    service: { ...job.service, url },
    limits: { ...job.limits, ...limits },
  };
  return prepareConnection(wanted, { log, onEvent: () => {} });
}

describe('the thread of a run', () => {
  let threads: Worker[];
  const note = (worker: Worker) => void threads.push(worker);
  beforeEach(() => {
    threads = [];
    process.on('worker', note);
  });
  afterEach(() => void process.off('worker', note));

  test('is started while the list is read, once, and ends with the run', async () => {
    {
      await using connection = connectionOf('http://127.0.0.1:9', fast);
      connection.expectCalls(1_999);
      await nextTurn();
      expect(threads).toEqual([]);
      connection.expectCalls(2_000);
      connection.expectCalls(4_000);
      await nextTurn();
      expect(threads).toHaveLength(1);
    }
    expect(threads.map(({ threadId }) => threadId)).toEqual([ended]);
  });

  test.each([
    ['the service holds to a low rate', 'http://127.0.0.1:9', { ...fast, rate: 10 }],
    ['few calls are made at once', 'http://127.0.0.1:9', { ...fast, concurrency: 8 }],
    ['few calls are allowed', 'http://127.0.0.1:9', { ...fast, maxCalls: 1_000 }],
    ['the service is in this process', 'embedded', fast],
  ])('is not started where %s', async (_, url, limits) => {
    await using connection = connectionOf(url, limits);
    connection.expectCalls(100_000);
    await nextTurn();
    expect(threads).toEqual([]);
  });
});
