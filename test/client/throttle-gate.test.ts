import { describe, expect, test } from 'vitest';
import type { ClientEvent } from '../../src/client/client-event.ts';
import { openRunStop } from '../../src/client/run-stop.ts';
import { type GatePass, openThrottleGate } from '../../src/client/throttle-gate.ts';
import { openFakeClock } from '../support/fake-clock.ts';

function openTestGate(maxWaitMs = 600_000) {
  const clock = openFakeClock();
  const runStop = openRunStop();
  const events: ClientEvent[] = [];
  const onEvent = (event: ClientEvent) => events.push(event);
  const gate = openThrottleGate({ maxWaitMs, clock, onEvent, runStop });
  const { signal } = new AbortController();
  /** Leaves, is throttled and waits, and says how long that was. */
  const throttleOnce = async (retryAfterMs?: number) => {
    gate.close(gate.pass() as GatePass, retryAfterMs);
    const closedAt = clock.monotonicMs();
    await gate.waitUntilOpen(signal);
    return clock.monotonicMs() - closedAt;
  };
  return { gate, clock, events, runStop, signal, throttleOnce };
}

test('the gate stays closed for as long as the service asks', async () => {
  const { gate, throttleOnce, events } = openTestGate();
  expect(gate.pass()).toBeDefined();
  expect(await throttleOnce(2_000)).toBe(2_000);
  expect(gate.pass()).toBeDefined();
  expect(events).toEqual([
    { type: 'service.throttled', waitMs: 2_000, untilMs: Date.parse('2026-08-22T00:00:02Z') },
    { type: 'gate.opened' },
  ]);
});

test('while it is closed nobody gets a pass', () => {
  const { gate, clock } = openTestGate();
  gate.close(gate.pass() as GatePass, 2_000);
  clock.advance(1_999);
  expect(gate.pass()).toBeUndefined();
  clock.advance(1);
  expect(gate.pass()).toBeDefined();
});

test('without a wait from the service it waits longer each time, up to a minute', async () => {
  const { throttleOnce } = openTestGate();
  const waits: number[] = [];
  for (let times = 0; times < 8; times += 1) waits.push(await throttleOnce());
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

test('an answer brings the own wait back to its beginning', async () => {
  const { gate, throttleOnce } = openTestGate();
  await throttleOnce();
  await throttleOnce();
  gate.noteAnswer();
  expect(await throttleOnce()).toBe(1_000);
});

test('fifty calls throttled together with a wait are told once and do not add up', () => {
  const { gate, clock, events, runStop } = openTestGate(60_000);
  const passes = Array.from({ length: 50 }, () => gate.pass() as GatePass);
  for (const pass of passes) {
    gate.close(pass, 60_000);
    clock.advance(10);
  }
  expect(events).toHaveLength(1);
  expect(runStop.signal.aborted).toBe(false);
});

test('fifty calls throttled together are one wait', async () => {
  const { gate, clock, events, throttleOnce } = openTestGate();
  const passes = Array.from({ length: 50 }, () => gate.pass() as GatePass);
  for (const pass of passes) {
    gate.close(pass, undefined);
    clock.advance(10);
  }
  expect(events).toHaveLength(1);
  clock.advance(1_000);
  expect(await throttleOnce()).toBe(2_000);
});

test('the latest of the waits that the service asks for holds', () => {
  const { gate, clock, events } = openTestGate();
  const passes = [gate.pass(), gate.pass(), gate.pass()] as GatePass[];
  for (const [index, waitMs] of [2_000, 9_000, 1_000].entries()) {
    gate.close(passes[index] as GatePass, waitMs);
  }
  expect(events).toMatchObject([{ waitMs: 2_000 }, { waitMs: 9_000 }]);
  clock.advance(8_999);
  expect(gate.pass()).toBeUndefined();
  clock.advance(1);
  expect(gate.pass()).toBeDefined();
});

test('giving up at the closed gate is immediate', async () => {
  const { gate } = openTestGate();
  gate.close(gate.pass() as GatePass, 60_000);
  await expect(gate.waitUntilOpen(AbortSignal.abort(new Error('enough')))).rejects.toThrow(
    'enough',
  );
});

describe('the run stops', () => {
  test('when the service asks for more than the job allows', () => {
    const { gate, runStop } = openTestGate(60_000);
    gate.close(gate.pass() as GatePass, 61_000);
    expect(runStop.signal.reason).toMatchObject({
      code: 'THROTTLED_TOO_LONG',
      message: 'the service asks to wait 1m 1s; the job waits 1m at most',
    });
  });

  test('when it has throttled everything for longer than the job allows', async () => {
    const { runStop, throttleOnce } = openTestGate(60_000);
    await throttleOnce(60_000);
    expect(runStop.signal.aborted).toBe(false);
    await throttleOnce(1_000);
    expect(runStop.signal.reason).toMatchObject({
      code: 'THROTTLED_TOO_LONG',
      message: expect.stringContaining('has throttled every call for 1m'),
    });
  });

  test('but not when it answers in between', async () => {
    const { gate, runStop, throttleOnce } = openTestGate(60_000);
    for (let times = 0; times < 5; times += 1) {
      await throttleOnce(50_000);
      gate.noteAnswer();
    }
    expect(runStop.signal.aborted).toBe(false);
  });
});
