import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DossierError } from '../../../src/core/errors.ts';
import { openClient } from '../../../src/engine/client/open-client.ts';
import { checkLedger } from '../../../src/engine/ledger/care/examine-ledger.ts';
import { companyData } from '../../../src/engine/providers/company-data/company-data.ts';
import { type Clock, systemClock } from '../../../src/platform/clock.ts';
import { Manifest } from '../../../src/results/manifest.ts';
import { runJob } from '../../../src/run/run-job.ts';
import type { RunParts } from '../../../src/run/run-parts.ts';
import { expectedPeople, expectedRow } from '../../engine/queue/small-model.ts';
import { plainParts } from '../../support/run-parts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { companyDataService, testJob, wholeList } from '../../support/test-job.ts';
import { faultCase } from '../support/fault-case.ts';
import {
  columnNames,
  fileOf,
  type Interruption,
  rowsOf,
  type Scenario,
  scenarioOf,
} from '../support/fuzz-scenario.ts';
import { type FuzzService, openFuzzService } from '../support/fuzz-service.ts';

faultCase(
  'any job over any list through any troubles comes out as the model says',
  async (seed) => {
    const scenario = scenarioOf(seed.value);
    using folder = temporaryFolder();
    await using service = await openFuzzService(scenario);
    const job = jobOf(scenario, folder.path, service.url);
    writeFileSync(job.input.path, fileOf(scenario));

    const { isDown, cutOffs } = await runThrough(job, scenario, service);
    if (!isDown) {
      expectRows(job.output.path, scenario);
      expectPeople(job.output.path, scenario);
      expectManifest(job.output.path, scenario);
      await expectNothingMoreToAsk(job, service);
    }
    expectNoAnswerTwice(scenario, service, cutOffs);
    checkLedger(job.ledger);
  },
  { short: 6, long: 2_500 },
);

type FuzzJob = ReturnType<typeof jobOf>;

function jobOf(scenario: Scenario, folder: string, url: string) {
  const { file, columns, searched, pageSize, maxPerCompany } = scenario;
  const { concurrency, attempts } = scenario;
  const searches = searched.map((seniority) => ({
    seniority,
    department: undefined,
    position: undefined,
  }));
  const plain = testJob();
  return testJob({
    services: [{ ...companyDataService, url }],
    input: { path: join(folder, `leads.${file.format}`), ...wholeList },
    identify: columnNames.slice(0, columns).map((column) => ({ column, as: 'auto' })),
    people: searches.length > 0 ? { searches, pageSize, maxPerCompany } : undefined,
    limits: {
      ...plain.limits,
      concurrency,
      attempts,
      timeoutMs: 3_600_000,
      maxWaitMs: 3_600_000,
    },
    output: { ...plain.output, path: join(folder, 'output'), formats: ['jsonl'] },
    ledger: join(folder, 'ledger.db'),
  });
}

/** Executes a job until it finishes. The interruptions and troubles of a scenario are finite. */
async function runThrough(job: FuzzJob, scenario: Scenario, service: FuzzService) {
  let cutOffs = 0;
  for (let execution = 0; execution < 40; execution += 1) {
    const interruption = scenario.interruptions[execution];
    const answeredBefore = service.answered.size;
    const askedBefore = service.seen.length;
    const ended = await execute(job, service, interruption);
    if (!(ended instanceof DossierError)) return { isDown: false, cutOffs };
    switch (ended.code) {
      case 'INTERRUPTED':
        cutOffs += 1;
        break;
      case 'BUDGET_SPENT':
        expect(interruption?.kind).toBe('budget');
        break;
      default: {
        // Many troubles in a row trip the circuit breaker. A call that fails for good and comes
        // first trips it each time.
        expect(ended).toMatchObject({ code: 'SERVICE_DOWN' });
        expect(service.seen.length).toBeGreaterThan(askedBefore);
        const isStuck = service.answered.size === answeredBefore && !service.hasTroubled();
        if (isStuck) return { isDown: true, cutOffs };
      }
    }
  }
  throw new Error('the run does not come to an end');
}

async function execute(
  job: FuzzJob,
  service: FuzzService,
  interruption: Interruption | undefined,
): Promise<Awaited<ReturnType<typeof runJob>> | DossierError> {
  const controller = new AbortController();
  const first = service.seen.length;
  service.onRequest = (number) => {
    if (interruption?.kind === 'signal' && number - first > interruption.after) {
      controller.abort(new DossierError('INTERRUPTED', 'enough'));
    }
  };
  const perStart = interruption?.kind === 'budget' ? interruption.after : undefined;
  const budget = { ...job.budget, perStart };
  service.attempts = Math.min(job.limits.attempts, perStart ?? Number.POSITIVE_INFINITY);
  try {
    const { signal } = controller;
    const openHasty: RunParts['openClient'] = async (facts) =>
      openClient({
        ...job.limits,
        ...facts,
        provider: companyData,
        baseUrl: service.url,
        key: 'k',
        clock: hastyClock,
      });
    const graceMs = interruption?.kind === 'signal' ? { graceMs: interruption.graceMs } : {};
    return await runJob(
      { ...job, budget },
      { ...plainParts, openClient: openHasty, signal, ...graceMs },
    );
  } catch (error) {
    if (error instanceof DossierError) return error;
    throw error;
  }
}

/** The client's clock runs a hundred times faster, so that back-offs and throttles are short. */
const speedUp = 100;
const hastyClock: Clock = {
  wallMs: systemClock.wallMs,
  monotonicMs: () => systemClock.monotonicMs() * speedUp,
  sleep: (ms, signal) => systemClock.sleep(ms / speedUp, signal),
};

function readJsonl(path: string): Record<string, unknown>[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function expectRows(output: string, scenario: Scenario): void {
  const rows = readJsonl(join(output, 'companies.jsonl')).map((row) =>
    row.status === 'matched'
      ? { ...only(row), companyId: row.company_id, match: row.match, asked: row.identifier }
      : only(row),
  );
  const expected = rowsOf(scenario).map((cells, index) => ({
    row_number: index + 1,
    ...expectedRow(scenario.world, cells),
  }));
  expect(rows).toEqual(expected);
}

function only({ row_number, status }: Record<string, unknown>) {
  return { row_number, status };
}

function expectPeople(output: string, scenario: Scenario): void {
  if (scenario.searched.length === 0) return;
  const found: Record<string, string[]> = {};
  for (const { company_id: id, person_id: person } of readJsonl(join(output, 'people.jsonl'))) {
    found[String(id)] = [...(found[String(id)] ?? []), String(person)];
  }
  const ids = rowsOf(scenario).flatMap(
    (cells) => expectedRow(scenario.world, cells).companyId ?? [],
  );
  const expected = Object.entries(expectedPeople(scenario.world, ids, scenario));
  expect(found).toEqual(Object.fromEntries(expected.filter(([, people]) => people.length > 0)));
}

function expectManifest(output: string, scenario: Scenario): void {
  const text = readFileSync(join(output, 'manifest.json'), 'utf8');
  const { total, matched, not_found, invalid, failed } = Manifest.parse(JSON.parse(text)).rows;
  expect(total).toBe(scenario.cells.length);
  expect(matched + not_found + invalid + failed).toBe(total);
}

/** A call may be answered twice only when its first answer was cut off on the wire. */
function expectNoAnswerTwice(scenario: Scenario, service: FuzzService, cutOffs: number): void {
  const repeats = [...service.answered.values()].reduce((sum, count) => sum + count - 1, 0);
  expect(repeats).toBeLessThanOrEqual(cutOffs * scenario.concurrency);
}

async function expectNothingMoreToAsk(job: FuzzJob, service: FuzzService): Promise<void> {
  const before = new Map(service.answered);
  await execute(job, service, undefined);
  expect(service.answered).toEqual(before);
}
