import type { ReportData, ShownRow } from '../../src/report/report-data.ts';

/** A report of a run that goes on, small enough to be read. */
export function sampleReport(changes: Partial<ReportData> = {}): ReportData {
  return {
    version: '0.0.0',
    run: {
      ...{ id: 'r1', job: 'leads', input: '/data/leads.csv', state: 'running', hasPeople: false },
      isSample: false,
      held: [],
      ...{ startedAt: 0, endedAt: null, seenAt: 60_000, took: '1m' },
    },
    rows: { total: 10, matched: 4, not_found: 1, invalid: 1, failed: 0, open: 4 },
    people: 0,
    calls: { made: 5, reused: 0, joined: 0, shared: 0, saved: 0, failed: 0, open: 4 },
    attention: [],
    timeline: null,
    files: [],
    insight: null,
    recent: [],
    ...changes,
  };
}

/** The same at its end, with as many rows as a page holds. */
export function longReport(total: number, shown: number): ReportData {
  const none = { entries: [], otherNames: 0, otherCount: 0 };
  const rows = Array.from({ length: shown }, (_, index): ShownRow => {
    const row = index + 1;
    return { row, status: 'matched', input: `Company ${row}`, company: `Company ${row} Pty Ltd` };
  });
  return sampleReport({
    rows: { total, matched: total, not_found: 0, invalid: 0, failed: 0, open: 0 },
    insight: {
      ...{ outcomes: [], reasons: [], companies: total, people: null, coverage: [], drift: [] },
      ...{ countries: none, headquarters: none, industries: none, sizes: none },
      matches: { exact: total, alias: 0, joined: 0, mismatch: 0, unverified: 0 },
      sample: { total, rows, file: 'companies.csv' },
    },
  });
}
