import { expect, test } from 'vitest';
import { composeMessage, eventOf, openOnCall } from '../../../src/integrations/oncall/on-call.ts';
import { noChanges } from '../../../src/results/compare-runs.ts';
import type { RunEnd } from '../../../src/run/run-schemas.ts';
import { openHostileServer } from '../../support/hostile-server.ts';
import { sampleEnd, sampleFacts } from '../../support/sample-run.ts';

const changes = { ...noChanges(), since: 'r6', row_added: 5, company_found: 1 };
const ended: RunEnd = { ...sampleEnd, changes };
const compose = (told: RunEnd) => composeMessage(told, 'crow', '0.1.0');

test('unmet expectations, errors and stale rows are lines that begin with a capital', () => {
  const message = 'the result is not what was expected: matchRate: 12%, below the expected >= 60%';
  const held = { ...ended, exitCode: 4, reason: 'HELD', message, remedy: 'Accept it.' };
  const rows = { ...sampleFacts.rows, stale: 9 };
  const { text } = compose({ ...held, rows, changes: null });
  expect(text.split('\n').slice(0, 4)).toEqual([
    'Dossier: nightly (r7) finished, but not as expected (exit 4, HELD) after 1m 12s on crow',
    'The result is not what was expected: matchRate: 12%, below the expected ≥ 60%',
    'Accept it.',
    '300 rows: 280 found, 20 not found, 9 of them stale. Calls: 45 made, 255 saved (255 already answered). Spent AUD 1.20, for 46 calls with retries and unanswered ones.',
  ]);
});

test('a message ends with the warnings', () => {
  const message = 'column owner is gone since r6';
  const { text } = compose({
    ...ended,
    warnings: [{ kind: 'gone_column', name: 'owner', message }],
  });
  expect(text).toMatch(/\nWarning: column owner is gone since r6$/);
});

test('words of a service mention nobody in a chat, and are cut if they are long', () => {
  const message = `the service says: <!channel> @here ${'x'.repeat(5_000)}\n    at trace`;
  const failed = { ...ended, exitCode: 77, reason: 'KEY_REFUSED', message, remedy: 'Check it.' };
  const { text, message: told } = compose(failed);
  expect(text).toContain('did not finish (exit 77, KEY_REFUSED)');
  expect(text).toContain('‹!channel› (at)here');
  expect(text.length).toBe(1_500);
  expect(told).toBe(message);
});

test.each([
  [0, 'finished'],
  [3, 'finished'],
  [4, 'expectation'],
  ...[1, 64, 65, 69, 74, 75, 77, 78, 130, 143].map((code) => [code, 'failed'] as const),
] as const)('exit code %i is %s', (exitCode, event) => expect(eventOf(exitCode)).toBe(event));

test('a monitor that does not answer the start of a short run still hears of its end', async () => {
  await using monitor = await openHostileServer(({ path }) => ({
    neverAnswer: path.endsWith('/start'),
  }));
  const log = { warn: () => {} };
  const heartbeat = new URL(`${monitor.url}/id`);
  const onCall = openOnCall(undefined, heartbeat, '1.0.0', log);
  onCall.begin();
  await onCall.end(ended);
  expect(monitor.seen.map(({ path }) => path)).toEqual(['/id/start', '/id']);
});
