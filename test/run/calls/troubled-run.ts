import { expect } from 'vitest';
import { type CallRequest, canonicalCall } from '../../../src/core/contract/call.ts';
import { DossierError } from '../../../src/core/errors.ts';
import type { Counts } from '../../../src/core/rules/outcomes.ts';
import type { Ledger } from '../../../src/engine/ledger/open-ledger.ts';
import { openQueue } from '../../../src/engine/queue/open-queue.ts';
import { callService } from '../../../src/run/calls/call-service.ts';
import { openRequestBudget } from '../../../src/run/calls/charges.ts';
import { queueTerms } from '../../../src/run/open-run.ts';
import type { ServiceCalls } from '../../../src/run/run-parts.ts';
import { answerOf, type SmallWorld } from '../../engine/queue/small-world.ts';
import { countRun } from '../../support/count-run.ts';
import { openFakeClock } from '../../support/fake-clock.ts';
import { callingOptions, type TestRun } from '../../support/test-run.ts';

/** What ends an execution of a run, and after how many sends or commits. */
export interface Trouble {
  readonly after: number;
  readonly kind: 'stop' | 'crash' | 'interrupt' | 'budget';
}

export interface CountingService extends ServiceCalls {
  /** How often each call was asked. */
  readonly asked: ReadonlyMap<string, number>;
}

/** Answers in an order of its own, which depends on the seed only. */
export function openCountingService(world: SmallWorld, seed: number): CountingService {
  const asked = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
  return {
    asked,
    async send(call: CallRequest) {
      const text = canonicalCall(call);
      asked.set(text, (asked.get(text) ?? 0) + 1);
      setImmediate(() => waiting.splice(random(waiting.length), 1)[0]?.());
      await new Promise<void>((resolve) => waiting.push(resolve));
      return answerOf(world, call);
    },
  };
}

/** Runs to the end through every trouble, each execution in a process of its own as it were. */
export async function runThrough(
  given: TestRun,
  service: CountingService,
  troubles: readonly Trouble[],
  wallStartMs?: number,
): Promise<Counts> {
  const { ledger, run, job } = given;
  const clock = hastyClock(wallStartMs);
  for (const trouble of troubles) {
    const counts = await endsBefore(trouble, given, service, clock);
    if (counts) return counts;
    await openQueue(ledger, run, queueTerms(job)).recover();
    // A run that goes on does not count anew but takes what was noted.
    expect(ledger.progress.of(run.id)).toEqual(countRun(ledger, run.id));
  }
  const queue = openQueue(ledger, run, queueTerms(job));
  return await callService(queue, async () => service, callingOptions(queue, job, clock));
}

/** Where the run stands at its end; undefined when the trouble came first. */
async function endsBefore(
  { kind, after }: Trouble,
  { ledger, run, job }: TestRun,
  service: CountingService,
  clock: ReturnType<typeof hastyClock>,
): Promise<Counts | undefined> {
  const enough = new DossierError('INTERRUPTED', 'enough');
  const stopping = new AbortController();
  let sends = 0;
  let commits = 0;
  let isDead = false;
  const api: ServiceCalls = {
    async send(call, signal) {
      if (isDead) return await new Promise(() => {});
      sends += 1;
      if (kind === 'stop' && sends > after) throw enough;
      if (kind === 'interrupt' && sends > after) stopping.abort(enough);
      return await service.send(call, signal);
    },
  };
  const dying: Ledger = {
    ...ledger,
    together: (work) =>
      ledger.together(() => {
        const result = work();
        commits += 1;
        if (commits > after) throw enough;
        return result;
      }),
  };
  const mostCalls = kind === 'budget' ? after + 1 : undefined;
  try {
    const queue = openQueue(kind === 'crash' ? dying : ledger, run, queueTerms(job));
    const budget = openRequestBudget({ budget: { perStart: mostCalls } });
    const calling = callingOptions(queue, job, clock, budget);
    const counts = await callService(queue, async () => api, {
      ...calling,
      stopping: stopping.signal,
    });
    if (sends > (mostCalls ?? sends))
      throw new Error(`${sends} calls, not ${mostCalls}, were made`);
    return counts;
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    if (error.code === 'BUDGET_SPENT' && sends !== mostCalls) {
      throw new Error(`${sends} calls, not ${mostCalls}, were made`, { cause: error });
    }
    isDead = true;
    return undefined;
  }
}

/** Every answer is due to be stored as soon as it has come. */
function hastyClock(wallStartMs?: number) {
  const clock = openFakeClock(wallStartMs);
  return {
    ...clock,
    monotonicMs: () => {
      clock.advance(100);
      return clock.monotonicMs();
    },
  };
}
