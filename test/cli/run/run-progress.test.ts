import { afterEach, expect, test, vi } from 'vitest';
import { openRunMessages, showRun } from '../../../src/cli/run/run-messages.ts';
import { openTerminal, type Progress } from '../../../src/cli/terminal/terminal.ts';
import { type Counts, noCounts } from '../../../src/core/rules/outcomes.ts';
import type { Run } from '../../../src/engine/ledger/runs/runs.ts';
import { createLog } from '../../../src/platform/log.ts';

const log = createLog({ format: 'text', level: 'silent' });
const noNotes = { notes: [], replaces: undefined, spentBefore: [] };

function countsWith(called: number, open: number, invalid = 0): Counts {
  const { rows, calls, ...others } = noCounts();
  return {
    ...others,
    rows: { ...rows, open, matched: called, invalid },
    calls: { ...calls, open, made: called },
  };
}

function shownIn(lines: string[]) {
  const show: Progress['show'] = (textNow) => void lines.push(textNow());
  return showRun(log, log, { job: 'leads' }, () => {}, { show, showReceived() {} });
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a stopping run says so, and shows no time left', () => {
  const lines: string[] = [];
  const shown = shownIn(lines);
  shown.onStart({ id: 1 } as Run, false, countsWith(0, 10), noNotes);
  shown.onProgress(countsWith(1, 9));
  shown.onStop({ answers: 2, atMostMs: 1_000, unanswered: () => [] });
  shown.onProgress(countsWith(2, 8));
  expect(lines[0]).toMatch(/^calling {2}1 of 10 calls .* left /);
  expect(lines[1]).toMatch(/^stopping {2}2 of 10 calls .* 2 of 10 rows /);
  expect(lines[1]).not.toContain('left');
});

const nothingPaid = { service: '', operation: 'company', misses: 0, currency: 'AUD' } as const;

test('progress shows what is possibly charged, too, because the run stops at both', () => {
  const lines: string[] = [];
  const spend = [{ ...nothingPaid, requests: 11, micros: 13.2e6, charged: 10.2e6, misspent: 0 }];
  const budget = { spent: 11, spend, money: { currency: 'AUD', amount: 10.2 } };
  const show: Progress['show'] = (textNow) => void lines.push(textNow());
  const most = 'of at most AUD 13.20';
  const progress = { show, showReceived() {} };
  const shown = showRun(log, log, { job: 'leads' }, () => {}, progress, budget, { most });
  shown.onProgress(countsWith(8, 3));
  expect(lines[0]).toContain('  AUD 10.20, possibly AUD 3.00 more  of at most AUD 13.20  ');
});

test('a run that finds nothing says so after 20 rows, with what they cost', () => {
  const said: string[] = [];
  const spend = [{ ...nothingPaid, requests: 20, micros: 2.4e6, charged: 2.4e6, misspent: 2.4e6 }];
  const show = { show() {}, showReceived() {} };
  const budget = { spent: 20, spend, money: undefined };
  const missed = (number: number) => {
    const counts = countsWith(0, 400 - number);
    return { ...counts, rows: { ...counts.rows, not_found: number } };
  };
  const shown = showRun(
    log,
    log,
    { job: 'leads' },
    (...texts) => said.push(...texts),
    show,
    budget,
  );
  shown.onStart({ id: 1, isSample: false } as Run, false, missed(0), noNotes);
  shown.onProgress(missed(19));
  expect(said).toEqual([]);
  shown.onProgress(missed(20));
  shown.onProgress(missed(200));
  expect(said).toEqual([
    'No company found for the first 20 rows; they cost AUD 2.40. Is this the right service, country and column? 380 calls left; Ctrl-C stops the run, and no answer is paid for twice.',
  ]);
});

test('misses after known answers of the same columns are no reason to stop', () => {
  const said: string[] = [];
  const shown = showRun(log, log, { job: 'leads' }, (...texts) => said.push(...texts));
  const known = (number: number) => {
    const counts = countsWith(0, 400 - number);
    return { ...counts, rows: { ...counts.rows, matched: 71, not_found: number } };
  };
  shown.onStart({ id: 1, isSample: false } as Run, false, known(0), noNotes);
  shown.onProgress(known(21));
  expect(said).toEqual([]);
});

test('a lowered rate is shown until it is restored, and determines the time left', () => {
  vi.useFakeTimers({ now: 0 });
  const lines: string[] = [];
  const shown = shownIn(lines);
  shown.onStart({ id: 1 } as Run, false, countsWith(0, 1_100), noNotes);
  vi.advanceTimersByTime(10_000);
  const ceiling = 20;
  shown.onProgress(countsWith(200, 900));
  shown.onEvent({ type: 'rate.lowered', perSecond: 8.466, ceiling, reason: 'throttled' });
  shown.onEvent({
    type: 'service.throttled',
    waitMs: 60_000,
    untilMs: Date.now() + 60_000,
    mostMs: 900_000,
  });
  shown.onProgress(countsWith(200, 900));
  shown.onEvent({ type: 'gate.opened' });
  shown.onEvent({ type: 'rate.raised', perSecond: 20, ceiling, reason: 'ceiling' });
  shown.onProgress(countsWith(200, 900));
  expect(lines[0]).toContain('45s left  20/s');
  expect(lines[1]).toContain(
    '2m 46s left  throttled for 1m, at most 15m in all  20/s  lowered to 8.5/s',
  );
  expect(lines[2]).toContain('45s left  20/s');
  expect(lines[2]).not.toContain('lowered');
});

test('a log line replaces the progress line on a terminal', () => {
  for (const [name, value] of Object.entries({ CI: '', TERM: 'xterm' })) vi.stubEnv(name, value);
  const { isTTY } = process.stderr;
  process.stderr.isTTY = true;
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const terminal = openTerminal();
  process.stderr.isTTY = isTTY;
  const given = { job: 'leads.csv', logFormat: 'json', logLevel: 'info' } as const;
  const messages = openRunMessages(given, terminal);
  terminal.progress.show(() => 'calling', 0.5);
  written.mockClear();
  messages.log.info('line.logged');
  expect(written.mock.calls).toEqual([['\r\u001b[2K']]);
});
