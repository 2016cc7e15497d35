import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { CallOutcome, CallRequest } from '../../../../src/core/contract/call.ts';
import { systemClock } from '../../../../src/core/runtime/clock.ts';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { runJob } from '../../../../src/run/run-job.ts';
import { day, noSnapshot, testJob, wholeList } from '../../../support/test-job.ts';
import { answerOf, domains, type SmallWorld, seniorities } from '../../queue/small-world.ts';

/** A night: the list as it is then, who works where, and whether the service fails. */
export interface Night {
  readonly sites: readonly string[];
  readonly people: number;
  readonly fails: boolean;
}

const sites = [...domains, 'not a domain', 'nobody.com.au'];

export const arbitraryNights = (most: number): fc.Arbitrary<readonly Night[]> =>
  fc.array(
    fc.record({
      sites: fc.shuffledSubarray(sites, { minLength: 1 }),
      people: fc.nat(2),
      fails: fc.boolean(),
    }),
    { minLength: 2, maxLength: most },
  );

const firstNight = Date.parse('2026-08-01T02:00:00Z');

export function nightOf(index: number): number {
  return firstNight + index * day;
}

/** Runs a job night after night; every answer is asked for anew each second night. */
export async function runNights(
  folder: string,
  nights: readonly Night[],
  keepRuns: number,
  name = testJob().name,
): Promise<string> {
  const ledger = join(folder, 'ledger.db');
  const input = join(folder, 'leads.csv');
  for (const [index, night] of nights.entries()) {
    writeFileSync(input, ['website', ...night.sites].join('\n'));
    const people = Object.fromEntries(seniorities.map((seniority) => [seniority, night.people]));
    const world: SmallWorld = {
      companies: domains.map((fqdn, number) => ({
        ...{ id: `c_${number}`, abn: undefined, slug: undefined, fqdn, people },
      })),
      others: {},
      pageLimit: 1,
      saysTotal: true,
    };
    const wallMs = nightOf(index);
    const job = testJob({
      name,
      input: { path: input, ...wholeList },
      identify: [{ column: 'website', as: 'auto' }],
      expect: [{ name: 'rows', text: '>= 0', comparison: '>=', limit: 0, unit: 'rows' }],
      people: { searches: [search], pageSize: 1, maxPerCompany: 9 },
      reuse: { ...testJob().reuse, ...askedAnew },
      output: { ...testJob().output, path: join(folder, 'output') },
      ledger,
      ledgerCare: { keepRuns, mustExist: false, ...noSnapshot },
    });
    await runJob(job, {
      openClient: async () => ({
        send: async (call: CallRequest) =>
          night.fails && fails(call) ? failed : answerOf(world, call),
        stop: () => {},
        [Symbol.asyncDispose]: async () => {},
      }),
      clock: { ...systemClock, wallMs: () => wallMs },
      version: '0.0.0',
      signal: new AbortController().signal,
      observer: { onIngest() {}, onStart() {}, onProgress() {}, onExport() {} },
    });
  }
  return ledger;
}

/** Answers of last night are fresh, older ones are kept for half a year where a newer one fails. */
const askedAnew = {
  companiesMs: 1.5 * day,
  peopleMs: 1.5 * day,
  missesMs: 0,
  staleOnFailureMs: 180 * day,
};

const search = { seniority: '3', department: undefined, position: undefined };

/** The second pages of people, and one company. */
function fails(call: CallRequest): boolean {
  if (call.operation === 'people') return call.body.from !== '0';
  return call.identifier.value === domains[1];
}

const failed: CallOutcome = { kind: 'failed', reason: 'HTTP 500', attempts: 1, durationMs: 1 };

/** What an export of each run would read, by the id of the run; pruned ones are left out. */
export function recordsOf(path: string): Map<number, unknown> {
  using ledger = openLedger(path);
  const runs = ledger.runs.list().filter(({ prunedAt }) => prunedAt === null);
  return new Map(
    runs.map((run) => {
      const records = ledger.records.of(run, (answerId) => {
        throw new Error(`answer ${answerId} is damaged`);
      });
      return [run.id, structuredClone([[...records.rows()], [...records.people()]])];
    }),
  );
}
