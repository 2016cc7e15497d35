import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { openCallMeter } from '../../src/run/call-meter.ts';
import { keepTimeline } from '../../src/run/keep-timeline.ts';
import { openFakeClock } from '../support/fake-clock.ts';
import { testJob } from '../support/test-job.ts';
import { startTestRun } from '../support/test-run.ts';

test('what was measured is written about once a second, and the rest at the end', () => {
  using ledger = openLedger(':temporary:');
  const clock = openFakeClock();
  const meter = openCallMeter(clock);
  const context = { ...startTestRun(ledger, testJob()), clock };
  const { id } = context.run;
  const attempt = () => meter.note({ type: 'attempt.made', verdict: 'hit', durationMs: 3 });
  const written = () => ledger.timeline.of(id).reduce((sum, { attempts }) => sum + attempts, 0);
  {
    using timeline = keepTimeline(context, meter);
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

test('a ledger that cannot be written to is not told by the timeline', () => {
  const ledger = openLedger(':temporary:');
  const context = startTestRun(ledger, testJob());
  const meter = openCallMeter(context.clock);
  ledger[Symbol.dispose]();
  expect(() => keepTimeline(context, meter)[Symbol.dispose]()).not.toThrow();
});
