import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';

/** A resolved job, as the command line passes it to a run. */
export function testJob(changes: Partial<ResolvedJob> = {}): ResolvedJob {
  return {
    name: 'leads',
    file: undefined,
    isElsewhere: false,
    services: [{ ...companyDataService, url: 'http://127.0.0.1:9' }],
    servicesFile: undefined,
    list: '/nowhere/leads.csv',
    register: '/nowhere/register.db',
    isRegisterNamed: false,
    corrections: undefined,
    input: { path: '/nowhere/leads.csv', ...wholeList },
    identify: undefined,
    acceptNames: 'unique',
    skipCancelled: false,
    country: { column: undefined, default: 'AU' },
    positionOfColumn: () => undefined,
    people: undefined,
    reference: { seniority: {}, department: {} },
    limits: {
      rate: 'none',
      concurrency: 4,
      timeoutMs: 1_000,
      attempts: 2,
      maxWaitMs: 1_000,
    },
    isLedgerNamed: true,
    sharedLedger: undefined,
    budget: {
      perStart: undefined,
      perDay: undefined,
      perMonth: undefined,
      timezone: 'UTC',
      confirmAboveMicros: 100_000_000,
    },
    reuse: { companiesMs: day * 30, missesMs: day * 7, peopleMs: day * 30, ...asTheyAre },
    output: {
      path: '/nowhere/output',
      formats: ['csv'],
      columns: ['all'],
      excelSafe: false,
      delimiter: ',',
      bom: false,
      whenIncomplete: 'hold',
    },
    otherDestinations: [],
    refresh: undefined,
    suppress: [],
    retain: { companiesMs: Number.POSITIVE_INFINITY, peopleMs: Number.POSITIVE_INFINITY },
    expect: [],
    changes: { include: [] },
    ledger: ':temporary:',
    onCall: { notify: undefined, heartbeat: undefined },
    ledgerCare: { keepRuns: 30, mustExist: false, ...noSnapshot },
    ...changes,
  };
}

/** A job over a list of websites, with its list, results and ledger in a folder. */
export function jobOver(
  folder: string,
  sites: readonly string[],
  changes: Partial<ResolvedJob> = {},
): ResolvedJob {
  const path = join(folder, 'leads.csv');
  writeFileSync(path, ['website', ...sites].join('\n'));
  return testJob({
    input: { path, ...wholeList },
    output: { ...testJob().output, path: join(folder, 'output') },
    ledger: join(folder, 'ledger.db'),
    ...changes,
  });
}

/** Answers that live as long as the job says, to the day, and are not kept beyond. */
const asTheyAre = { spread: 0, staleOnFailureMs: 0 } as const;

/** A list of this machine, read whole and as it is. */
export const companyDataService = {
  name: 'service',
  provider: 'company-data',
  isSample: false,
  key: { from: 'nowhere' },
} as const;

export const wholeList = { address: undefined, options: {}, key: undefined, maxRows: undefined };

export const noSnapshot = { snapshot: undefined, otherSnapshot: undefined };

export const day = 24 * 3_600_000;
