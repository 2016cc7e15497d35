import { expect, test } from 'vitest';
import { showRun } from '../../../src/cli/run/run-progress.ts';
import type { Progress } from '../../../src/cli/terminal/progress.ts';
import type { Run } from '../../../src/ledger/runs/runs.ts';
import type { Counts } from '../../../src/rules/outcomes.ts';
import { openLog } from '../../../src/runtime/log/log.ts';

function countsWith(called: number, open: number): Counts {
  const rows = { open, matched: called, not_found: 0, invalid: 0, failed: 0 };
  const calls = { open, called, reused: 0, joined: 0, failed: 0, shared: 0 };
  return { rows, calls, stale: 0, people: 0, failedSearches: 0, incompleteSearches: 0 };
}

function progressInto(lines: string[], isLive = true): Progress {
  return { isLive, show: (text) => lines.push(text), [Symbol.dispose]() {} };
}

test('a list that is fetched has a line at a terminal, and none in a log', () => {
  const lines: string[] = [];
  for (const isLive of [true, false]) {
    const shown = showRun(progressInto(lines, isLive), openLog({ format: 'text', level: 'error' }));
    shown.onReceive?.(12_400_000, 31_000_000);
  }
  expect(lines).toEqual(['fetching the list  12.4 MB']);
});

test('a run that is being stopped says so, and no longer how long the whole list takes', () => {
  const lines: string[] = [];
  const progress = progressInto(lines);
  const shown = showRun(progress, openLog({ format: 'text', level: 'error' }));
  shown.onStart?.({ id: 1 } as Run, false, countsWith(0, 10), {
    notes: [],
    replaces: undefined,
    spentBefore: [],
  });
  shown.onProgress?.(countsWith(1, 9));
  shown.onStop({ answers: 2, atMostMs: 1_000, unanswered: () => [] });
  shown.onProgress?.(countsWith(2, 8));
  expect(lines[0]).toMatch(/^calling {2}1\/10 calls .* left /);
  expect(lines[1]).toMatch(/^stopping {2}2\/10 calls {2}2\/10 rows /);
  expect(lines[1]).not.toContain('left');
});

test('a rate that the service has lowered stands in the progress line until it is back', () => {
  const lines: string[] = [];
  const progress = progressInto(lines);
  const shown = showRun(progress, openLog({ format: 'text', level: 'error' }));
  const ceiling = 20;
  shown.onEvent({ type: 'rate.lowered', perSecond: 8.466, ceiling, reason: 'throttled' });
  shown.onProgress?.(countsWith(1, 9));
  shown.onEvent({ type: 'rate.raised', perSecond: 20, ceiling, reason: 'ceiling' });
  shown.onProgress?.(countsWith(2, 8));
  expect(lines[0]).toContain('lowered to 8.5/s');
  expect(lines[1]).not.toContain('lowered');
});
