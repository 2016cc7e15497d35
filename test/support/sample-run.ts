import { noCounts } from '../../src/core/rules/outcomes.ts';
import type { RunEnd, RunFacts } from '../../src/run/run-schemas.ts';

/** A finished run. */
export const sampleFacts: RunFacts = {
  job: 'nightly',
  run: 'r7',
  list: 'leads.csv',
  limit: null,
  sampleData: false,
  state: 'finished',
  complete: true,
  startedAt: '2026-08-22T04:12:09.113Z',
  endedAt: '2026-08-22T04:13:21.113Z',
  seconds: 72,
  exitCode: 0,
  reason: null,
  startedBy: 'script',
  host: 'crow',
  ...noCounts(),
  services: undefined,
  rows: { total: 300, ...noCounts().rows, matched: 280, not_found: 20 },
  calls: { ...noCounts().calls, made: 45, reused: 255, saved: 255 },
  requests: 46,
  money: [{ currency: 'AUD', amount: 1.2 }],
  missMoney: [],
  possibleMoney: [],
  unpriced: 0,
  possiblyCharged: [],
  held: null,
  acceptedAt: null,
  corrections: 0,
  changes: null,
  warnings: [],
  folder: '/data/out',
  files: null,
  unchanged: null,
  destinations: null,
  prunedAt: null,
};

/** The end of its only start. */
export const sampleEnd: RunEnd = {
  ...sampleFacts,
  exitCode: 0,
  message: null,
  remedy: null,
  resumed: false,
  wholeRun: {
    made: 45,
    requests: 46,
    money: [{ currency: 'AUD', amount: 1.2 }],
    missMoney: [],
    possibleMoney: [],
    unpriced: 0,
  },
  notes: [],
  replaced: null,
};
