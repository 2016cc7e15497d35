import { expect, test } from 'vitest';
import { describeNotify } from '../../src/cli/check.ts';
import { secretAddress } from '../../src/job/read-address.ts';
import { testJob } from '../support/test-job.ts';

test.each([
  [['finished', 'failed', 'expectation'], 'told when a run finishes, fails or is held;'],
  [['failed', 'expectation'], 'told when a run fails or is held;'],
  [['finished'], 'told when a run finishes;'],
] as const)('who is told on %j reads when', async (on, told) => {
  const address = secretAddress('https://chat.example.com/x', 'notify.url');
  const job = testJob({ onCall: { notify: { address, on }, heartbeat: undefined } });
  expect(await describeNotify(job, { isTried: false })).toContain(told);
});
