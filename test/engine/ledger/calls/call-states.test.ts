import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome, Source } from '../../../../src/core/rules/outcomes.ts';
import { keyedCall } from '../../../../src/engine/ledger/calls/call-key.ts';
import { type Ledger, openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { countCalls } from '../../../support/count-run.ts';
import { testJob } from '../../../support/test-job.ts';
import { startTestRun } from '../../../support/test-run.ts';
import { callIdOf, putAnswer } from '../support/answers.ts';

const numRuns = Number(process.env.DOSSIER_TEST_RUNS ?? 30);

const jobs = ['nightly', 'by-hand'];
const domains = ['acme.com.au', 'beta.com.au', 'gamma.com.au'];

/** Anything that anybody may ask of the ledger, in any order, sensible or not. */
const step = fc.record({
  job: fc.nat(jobs.length - 1),
  call: fc.nat(domains.length - 1),
  act: fc.oneof(
    { weight: 3, arbitrary: fc.constant('want' as const) },
    { weight: 3, arbitrary: fc.constant('send' as const) },
    { weight: 3, arbitrary: fc.constant('answer' as const) },
    fc.constantFrom('reopen' as const, 'reuse' as const, 'join' as const, 'crash' as const),
  ),
  outcome: fc.constantFrom<Outcome>('hit', 'miss', 'invalid', 'failed'),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface ModelTask {
  state: 'open' | 'sent' | 'settled';
  isDoubtful: boolean;
  source?: Source;
  answerId?: number;
}

test('a call of a run is open, then sent, then settled for good, whatever is asked of it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      using ledger = openLedger(':temporary:');
      const runs = jobs.map((name) => startTestRun(ledger, testJob({ name })).run.id);
      const calls = domains.map((domain) => callIdOf(ledger, companyCall(domain)));
      const model = new Map<string, ModelTask>();
      const outcomes = new Map<number, Outcome>();
      const newest = new Map<number, number>();
      for (const given of steps) {
        const runId = runs[given.job] ?? 0;
        const callId = calls[given.call] ?? 0;
        perform(ledger, { ...given, runId, callId }, { model, outcomes, newest, runs });
      }
      for (const runId of runs) {
        expect(countCalls(ledger, runId)).toEqual(expectedCounts(runId, model, outcomes));
        const open = ledger.calls
          .openCalls({ runId: runId, after: 0, limit: 10 })
          .map(({ callId }) => callId);
        expect(open).toEqual(calls.filter((id) => model.get(`${runId} ${id}`)?.state === 'open'));
      }
      for (const callId of calls) {
        expect(ledger.calls.newestAnswer(callId)?.id).toBe(newest.get(callId));
      }
      for (const [key, task] of model) {
        const [runId = 0, callId = 0] = key.split(' ').map(Number);
        expect(ledger.calls.completion(runId, callId)?.answer.id).toBe(task.answerId);
      }
    }),
    { numRuns },
  );
});

interface Model {
  readonly model: Map<string, ModelTask>;
  readonly outcomes: Map<number, Outcome>;
  readonly newest: Map<number, number>;
  readonly runs: readonly number[];
}

function perform(
  ledger: Ledger,
  { act, job, outcome, runId, callId }: Step & { runId: number; callId: number },
  { model, outcomes, newest, runs }: Model,
): void {
  const { calls } = ledger;
  const key = `${runId} ${callId}`;
  const task = model.get(key);
  const isUnsettled = task !== undefined && task.state !== 'settled';
  const putLeases = () => {
    const sent = [...model].filter(([other, { state }]) => isOf(runId, other) && state === 'sent');
    calls.setLeased(
      runId,
      sent.map(([other]) => Number(other.split(' ')[1])),
    );
  };
  const settle = (answerId: number, source: Source) => {
    if (!isUnsettled) return;
    calls.complete(runId, [{ callId, answer: { id: answerId }, source, searchId: null, page: 0 }]);
    ledger.outcomes.leave(runId, [{ callId, rowId: 1 }]);
    Object.assign(task, { state: 'settled', answerId, source });
    putLeases();
  };
  switch (act) {
    case 'want':
      expect(calls.countNew(runId, [callId])).toBe(task === undefined ? 1 : 0);
      if (task) return;
      model.set(key, { state: 'open', isDoubtful: false });
      ledger.outcomes.wait(runId, [{ callId, rowId: 1, place: 0 }]);
      return;
    case 'send':
      if (task?.state === 'open') task.state = 'sent';
      putLeases();
      return;
    case 'reopen':
      if (task?.state === 'sent') task.state = 'open';
      putLeases();
      return;
    case 'answer': {
      if (!isUnsettled) return;
      const answerId = putAnswer(ledger, callId, answerOf(outcome));
      outcomes.set(answerId, outcome);
      // A failure brings nothing, and takes nothing away.
      if (outcome !== 'failed') newest.set(callId, answerId);
      settle(answerId, 'called');
      return;
    }
    case 'reuse':
    case 'join': {
      const answerId = newest.get(callId);
      if (answerId !== undefined) settle(answerId, act === 'reuse' ? 'reused' : 'joined');
      return;
    }
    case 'crash':
      calls.recover(jobs[job] ?? '');
      for (const [other, { state }] of model) {
        if (!isOf(runs[job] ?? 0, other) || state !== 'sent') continue;
        model.set(other, { state: 'open', isDoubtful: true });
      }
  }
}

function isOf(runId: number, key: string): boolean {
  return key.startsWith(`${runId} `);
}

function expectedCounts(
  runId: number,
  model: ReadonlyMap<string, ModelTask>,
  outcomes: ReadonlyMap<number, Outcome>,
) {
  const tasks = [...model].filter(([key]) => isOf(runId, key)).map(([, task]) => task);
  const count = (isCounted: (task: ModelTask) => boolean) => tasks.filter(isCounted).length;
  return {
    open: count(({ state }) => state === 'open'),
    leased: count(({ state }) => state === 'sent'),
    called: count(({ source }) => source === 'called'),
    reused: count(({ source }) => source === 'reused'),
    joined: count(({ source }) => source === 'joined'),
    failed: count(({ answerId = 0 }) => outcomes.get(answerId) === 'failed'),
    doubtful: count(({ isDoubtful }) => isDoubtful),
  };
}

function answerOf(outcome: Outcome) {
  const isHit = outcome === 'hit';
  return {
    outcome,
    ...{ status: 200, message: null, companyId: isHit ? 'c_1' : null, match: null },
    ...{ attempts: 1, durationMs: 1, fetchedAt: 1, body: isHit ? Buffer.from('{}') : null },
  };
}

function companyCall(value: string) {
  const identifier = { kind: 'fqdn', value } as const;
  return keyedCall('embedded', { operation: 'company', identifier, country: 'AU' });
}
