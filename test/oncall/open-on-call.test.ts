import { expect, test } from 'vitest';
import type { EndedRun } from '../../src/oncall/ended-run.ts';
import { openOnCall } from '../../src/oncall/open-on-call.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { openHostileServer } from '../support/hostile-server.ts';

const ended: EndedRun = {
  ...{ job: 'leads', run: 'r1', exitCode: 0, reason: null, message: null, remedy: null },
  ...{ rows: null, people: null, calls: null, requests: 0, money: null, folder: null },
  ...{ changes: null, changed: '', held: null, complete: true },
  sampleData: false,
};

test('a monitor that does not answer the start of a short run still hears of its end', async () => {
  await using monitor = await openHostileServer(({ path }) => ({
    neverAnswer: path.endsWith('/start'),
  }));
  const targets = { notify: undefined, heartbeat: new URL(`${monitor.url}/id`) };
  const log = { warn: () => {} };
  const onCall = openOnCall(targets, { version: '1.0.0', clock: systemClock, log });
  onCall.begin();
  await onCall.end(ended);
  expect(monitor.seen.map(({ path }) => path)).toEqual(['/id/start', '/id']);
});
