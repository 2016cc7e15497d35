import type { ChangeOp } from '../../../src/core/columns/compare-records.ts';
import { noChanges } from '../../../src/results/compare-runs.ts';
import type { ChangesInsight, ReportData } from '../../../src/ui/report/report-data.ts';
import { tableColumns } from '../../../src/ui/workbench/rows/shown-columns.ts';
import { noRecords, sampleFacts } from '../../results/sample-run.ts';

const columns = tableColumns({
  columns: ['Company'],
  hasPeople: false,
  registerSources: null,
}).filter(({ name }) => ['input_company', 'status', 'company_name'].includes(name));

/** A report of a run that was stopped, small enough to be read. */
export function sampleReport(changes: Partial<ReportData> = {}): ReportData {
  return {
    ...sampleFacts,
    ...noRecords(),
    run: 'r1',
    job: 'leads',
    list: '/data/leads.csv',
    complete: false,
    endedAt: null,
    hasPeople: false,
    paid: '',
    paidByAll: '',
    foundNothing: false,
    rows: { ...noRecords().rows, total: 10, matched: 4, not_found: 1, invalid: 1, open: 4 },
    attention: [],
    files: [],
    insight: {
      reasons: [],
      companies: 4,
      mismatches: 0,
      changes: null,
      coverage: [],
      rowsFile: 'companies.csv',
      peopleFile: 'people.csv',
    },
    lookups: [],
    table: { columns, rows: [] },
    peopleTable: null,
    ...changes,
  };
}

/** The report of a long list, with as many rows as a page holds. */
export function longReport(total: number, shown: number): ReportData {
  const { insight, table, ...report } = sampleReport();
  const status = 'matched' as const;
  const rows = Array.from({ length: shown }, (_, index) => ({
    number: index + 1,
    key: String(index + 1),
    status,
    reason: null,
    reasonText: null,
    match: 'exact' as const,
    isStale: false,
    isChanged: false,
    cells: [`Company ${index + 1}`, status, `Company ${index + 1} Pty Ltd`],
  }));
  return {
    ...report,
    complete: true,
    rows: { ...report.rows, total, matched: total, not_found: 0, invalid: 0, open: 0 },
    insight: { ...insight, companies: total },
    table: { ...table, rows },
  };
}

/** The same, of a night on which much has changed. */
export function changedReport(name: string): ReportData {
  const report = longReport(1_000, 20);
  const shown = (op: ChangeOp, total: number, facts: object = {}) =>
    Array.from({ length: total }, (_, index) => ({
      op,
      rowKey: `crm-${index}`,
      rowNumber: index + 1,
      name,
      fields: [],
      ...facts,
    }));
  const changes: ChangesInsight = {
    since: 'r29',
    file: 'changes.csv',
    otherFields: 3,
    counts: {
      ...noChanges(),
      company_lost: 2,
      company_replaced: 1,
      company_found: 13,
      company_changed: 1_240,
      person_joined: 41,
      person_left: 1,
      row_added: 2,
      row_removed: 1,
    },
    fields: [
      {
        column: 'company_next_gen_technographics',
        count: 1_100,
        examples: [{ name, before: '', after: '{"CRM":["HubSpot"]}' }],
      },
      {
        column: 'company_phones',
        count: 140,
        examples: [{ name, before: name, after: '' }],
      },
    ],
    samples: [
      ...shown('company_lost', 2, { reason: 'not_found' }),
      ...shown('company_replaced', 1, { nameBefore: 'Old Harbour Lane Holdings' }),
      ...shown('company_found', 13),
      ...shown('person_joined', 25, { person: 'Chief Technology Officer, p_1' }),
      ...shown('person_left', 1, { person: 'Head of Sales, p_2' }),
      ...shown('row_added', 2),
      ...shown('row_removed', 1, { name: '' }),
    ],
  };
  return { ...report, insight: { ...report.insight, changes } };
}
