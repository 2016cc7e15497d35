import { noChanges } from '../../src/records/changes.ts';
import type { ChangesInsight } from '../../src/report/data/changes-data.ts';
import type { ReportData, SampledRow } from '../../src/report/data/report-data.ts';

/** A report of a run that was stopped, small enough to be read. */
export function sampleReport(changes: Partial<ReportData> = {}): ReportData {
  return {
    version: '0.0.0',
    run: {
      ...{ id: 'r1', job: 'leads', input: '/data/leads.csv', state: 'interrupted' },
      ...{ hasPeople: false, isSample: false, held: [] },
      ...{ startedAt: 0, took: '1m' },
    },
    rows: { total: 10, matched: 4, not_found: 1, invalid: 1, failed: 0, open: 4 },
    people: 0,
    calls: { made: 5, reused: 0, joined: 0, shared: 0, saved: 0, failed: 0, open: 4 },
    attention: [],
    files: [],
    insight: {
      ...{ reasons: [], companies: 4, mismatches: 0, people: null, changes: null, coverage: [] },
      sample: { total: 10, rows: [], file: 'companies.csv' },
    },
    ...changes,
  };
}

/** The report of a long list, with as many rows as a page holds. */
export function longReport(total: number, shown: number): ReportData {
  const { insight, ...report } = sampleReport();
  const rows = Array.from({ length: shown }, (_, index): SampledRow => {
    const row = index + 1;
    return { row, status: 'matched', input: `Company ${row}`, company: `Company ${row} Pty Ltd` };
  });
  return {
    ...report,
    rows: { total, matched: total, not_found: 0, invalid: 0, failed: 0, open: 0 },
    insight: { ...insight, companies: total, sample: { total, rows, file: 'companies.csv' } },
  };
}

/** The same, of a night on which much has changed. */
export function changedReport(name: string): ReportData {
  const report = longReport(1_000, 20);
  const shown = (total: number, facts: object = {}) =>
    Array.from({ length: total }, (_, index) => ({ rowKey: `crm-${index}`, name, ...facts }));
  const changes: ChangesInsight = {
    ...{ since: 'r29', file: 'changes.csv', otherFields: 3 },
    counts: {
      ...noChanges(),
      ...{ company_lost: 2, company_replaced: 1, company_found: 13, company_changed: 1_240 },
      ...{ person_joined: 41, person_left: 1, row_added: 2, row_removed: 1 },
    },
    fields: [
      {
        ...{ column: 'company_next_gen_technographics', count: 1_100 },
        examples: [{ name, before: '', after: '{"CRM":["HubSpot"]}' }],
      },
      { column: 'company_phones', count: 140, examples: [{ name, before: name, after: '' }] },
    ],
    shown: {
      company_lost: shown(2, { reason: 'not_found' }),
      company_replaced: shown(1, { nameBefore: 'Old Harbour Lane Holdings' }),
      company_found: shown(13),
      person_joined: shown(25, { person: 'Chief Technology Officer, p_1' }),
      person_left: shown(1, { person: 'Head of Sales, p_2' }),
      row_added: shown(2),
      row_removed: shown(1),
    },
  };
  return { ...report, insight: { ...report.insight, changes } };
}
