import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Call, CallResult } from '../../src/core/contract/call.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createDestinations } from '../../src/run/export/destinations.ts';
import { type ExportOptions, exportJob } from '../../src/run/export/export-job.ts';
import { lookUp } from '../../src/run/look-up.ts';
import { runJob } from '../../src/run/run-job.ts';
import type { RunParts } from '../../src/run/run-parts.ts';
import { answerOf, domains, type SmallWorld } from '../engine/queue/small-world.ts';
import { createPlainReporter, readReport } from '../support/plain-report.ts';
import { answeredBy } from '../support/run-parts.ts';
import { day, jobOver, testJob } from '../support/test-job.ts';

/** Companies with two people each. */
export const world: SmallWorld = {
  companies: domains.map((fqdn, number) => ({
    id: `c_${number}`,
    abn: undefined,
    slug: undefined,
    people: { '3': 2 },
    fqdn,
  })),
  others: {},
  pageLimit: 9,
  saysTotal: true,
};
const search = { seniority: '3', department: undefined, position: undefined };

/** A job that searches people, and keeps old answers when a call fails. */
export function jobIn(folder: string, sites: readonly string[] = domains): ResolvedJob {
  return jobOver(folder, sites, {
    people: { searches: [search], pageSize: 9, maxPerCompany: 9 },
    reuse: { ...testJob().reuse, staleOnFailureMs: 60 * day },
  });
}

/** Exports a run of a job, to a folder of its own where `path` is set. */
export function exportOf(
  job: ResolvedJob,
  { path = job.output.path, ...wanted }: Partial<ExportOptions> & { path?: string } = {},
) {
  const request = { version: '0.0.0', own: createDestinations(job), runId: undefined };
  return exportJob({ ...job, output: { ...job.output, path } }, { ...request, ...wanted });
}

/** Night 1.5 is 12 hours after the first night. */
export const clockOfNight = (night: number) => ({
  ...systemClock,
  wallMs: () => Date.UTC(2026, 0, 0, 2) + night * day,
});

/** Runs a job on a night of the calendar, and gives what was asked of the service. */
export async function runNight(
  job: ResolvedJob,
  night: number,
  answer: (call: Call) => CallResult = (call) => answerOf(world, call),
  changes: Partial<RunParts> = {},
) {
  const asked: Call[] = [];
  const send = (call: Call) => {
    asked.push(call);
    return answer(call);
  };
  const parts = answeredBy(send, {
    clock: clockOfNight(night),
    createReport: createPlainReporter(dirname(job.ledger)).createReport,
    ...changes,
  });
  const summary = await runJob(job, parts);
  return { ...summary, asked, report: readReport(summary.exported.folder ?? '') };
}

/** A lookup of one domain on a night of the calendar. */
export function lookUpNight(job: ResolvedJob, night: number, domain: string) {
  const question = { text: domain, candidates: [['fqdn', domain]], country: 'AU' } as const;
  return lookUp(
    job,
    question,
    answeredBy((call) => answerOf(world, call), { clock: clockOfNight(night) }),
  );
}

/** The records of a table, as the job has published it. */
export function tableIn(job: ResolvedJob, table: string): Record<string, string>[] {
  return parse(readFileSync(join(job.output.path, `${table}.csv`)), { columns: true });
}

export const companiesOf = (calls: readonly Call[]) =>
  calls.filter(({ operation }) => operation === 'company').length;
