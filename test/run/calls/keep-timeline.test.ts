import { expect, test } from 'vitest';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { openCallMeter } from '../../../src/run/calls/call-meter.ts';
import { keepTimeline } from '../../../src/run/calls/keep-timeline.ts';
import { openFakeClock } from '../../support/fake-clock.ts';
import { testJob } from '../../support/test-job.ts';
import { startTestRun } from '../../support/test-run.ts';

test('what was measured is written about once a second, and the rest at the end', async () => {
  using ledger = openLedger(':temporary:');
  const clock = openFakeClock();
  const meter = openCallMeter(clock);
  const { queue, run } = startTestRun(ledger, testJob());
  const attempt = () => meter.note({ type: 'attempt.made', verdict: 'hit', durationMs: 3 });
  const written = () => ledger.timeline.of(run.id).reduce((sum, { attempts }) => sum + attempts, 0);
  {
    await using timeline = keepTimeline(queue, clock, meter);
    attempt();
    timeline.tick();
    expect(written()).toBe(0);
    clock.advance(1_000);
    timeline.tick();
    expect(written()).toBe(1);
    attempt();
    timeline.tick();
    expect(written()).toBe(1);
  }
  expect(written()).toBe(2);
});

test('a ledger that cannot be written to is not told by the timeline', async () => {
  const ledger = openLedger(':temporary:');
  const { queue } = startTestRun(ledger, testJob());
  const clock = openFakeClock();
  ledger[Symbol.dispose]();
  await keepTimeline(queue, clock, openCallMeter(clock))[Symbol.asyncDispose]();
});
