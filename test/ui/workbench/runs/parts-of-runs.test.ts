import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import type { PlanJson } from '../../../../src/ui/overview/plan.ts';
import { planOfTry } from '../../../../src/ui/workbench/runs/run-routes.ts';
import { isStopNoted, noteStop, openLedgers } from '../../../../src/ui/workbench/runs/runs.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('a ledger that a run is making is not there yet, and no trouble', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const db = new Database(path);
  // As a reader finds it before a migration.
  db.exec(`pragma application_id = 0x446f7373; create table older (column_of_older)`);
  db.close();
  using ledgers = openLedgers();
  expect(ledgers.of(path, true)).toBeUndefined();
  expect(() => ledgers.of(path, false)).toThrow('is of an older version');
  openLedger(path)[Symbol.dispose]();
  expect(ledgers.of(path, true)).toBeDefined();
});

test('a process is asked to stop once, and a later one of the same id is another', () => {
  using folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder.path);
  const first = { pid: 7, startedAt: Date.now() - 1_000 };
  expect(isStopNoted(first)).toBe(false);
  expect([noteStop(first), noteStop(first), isStopNoted(first)]).toEqual([true, false, true]);
  const second = { pid: 7, startedAt: Date.now() + 1_000 };
  utimesSync(join(folder.path, 'dossier-ui-7-stop'), 0, 0);
  expect([isStopNoted(second), noteStop({ ...second, startedAt: 1_000 })]).toEqual([false, true]);
});

const price = {
  ...{ companyMicros: 100_000, peopleMicros: 500_000, currency: 'AUD' },
  charged: 'answers',
} as const;

function planFor(least: number, mostIfFull: number): PlanJson {
  const cost = { currency: 'AUD', least: least / 10, mostIfFull: mostIfFull / 2 };
  return {
    calls: { least, mostIfFull, most: mostIfFull },
    advisedBudget: mostIfFull + 1,
    price: { ...cost, most: cost.mostIfFull, withMargin: cost.mostIfFull },
  } as PlanJson;
}

test('a try costs what its rows cost, and never more than its requests can', () => {
  expect(planOfTry(planFor(10, 10), { service: { price } })).toMatchObject({
    calls: { least: 10, mostIfFull: 10 },
    advisedBudget: 11,
    price: { least: 1, mostIfFull: 5 },
  });
  // People of many seniorities: the try is cut off, at the price of the dearest call.
  expect(planOfTry(planFor(90, 400), { service: { price } })).toMatchObject({
    calls: { least: 50, mostIfFull: 50 },
    advisedBudget: 50,
    price: { least: 9, mostIfFull: 25, withMargin: 25 },
  });
});
