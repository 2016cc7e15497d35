import type { ResolvedJob } from '../../src/job/resolved-job.ts';

/** A resolved job, as the command line passes it to a run. */
export function testJob(changes: Partial<ResolvedJob> = {}): ResolvedJob {
  return {
    name: 'leads',
    service: { url: 'http://127.0.0.1:9', key: { from: 'nowhere' } },
    list: '/nowhere/leads.csv',
    input: { path: '/nowhere/leads.csv', options: {}, maxRows: undefined },
    identify: undefined,
    country: { column: undefined, default: 'AU' },
    people: undefined,
    reference: { seniority: {}, department: {} },
    onMismatch: 'keep',
    limits: {
      rate: 'none',
      concurrency: 4,
      timeoutMs: 1_000,
      attempts: 2,
      maxWaitMs: 1_000,
    },
    budget: { perStart: undefined, perDay: undefined, perMonth: undefined, timezone: 'UTC' },
    reuse: { companiesMs: day * 30, missesMs: day * 7, peopleMs: day * 30, ...asTheyAre },
    output: {
      path: '/nowhere/output',
      formats: ['csv'],
      compress: 'none',
      columns: ['all'],
      order: undefined,
      excelSafe: false,
      delimiter: ',',
      bom: false,
      whenIncomplete: 'hold',
    },
    expect: [],
    changes: { include: [] },
    ledger: ':temporary:',
    onCall: { notify: undefined, heartbeat: undefined },
    ledgerCare: { keepRuns: 30, mustExist: false },
    ...changes,
  };
}

/** Answers that live as long as the job says, to the day, and are not kept beyond. */
const asTheyAre = { spread: 0, staleOnFailureMs: 0 } as const;

export const day = 24 * 3_600_000;
