import { expect } from 'vitest';
import { type CallRequest, canonicalCall } from '../../src/contract/call.ts';
import { DossierError } from '../../src/errors.ts';
import type { Ledger } from '../../src/ledger/open-ledger.ts';
import { makeCalls, type ServiceCalls } from '../../src/run/make-calls.ts';
import { type RunContext, readCounts } from '../../src/run/run-context.ts';
import { openFakeClock } from '../support/fake-clock.ts';
import { answerOf, type SmallWorld } from './small-world.ts';

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
  first: RunContext,
  service: CountingService,
  troubles: readonly Trouble[],
): Promise<RunContext> {
  let context = { ...first, clock: hastyClock() };
  for (const trouble of troubles) {
    if (await endsBefore(trouble, context, service)) return context;
    const { ledger, run } = context;
    ledger.calls.recover(run.job);
    const counts = readCounts(ledger, run);
    // Whoever goes on with a run does not count anew but takes what was noted.
    expect(ledger.progress.of(run.id)).toEqual(counts);
    context = { ...context, counts };
  }
  await makeCalls(context, service, { signal: never, stopping: never });
  return context;
}

const never = new AbortController().signal;

/** True when the run came to its end before the trouble did. */
async function endsBefore(
  { kind, after }: Trouble,
  context: RunContext,
  service: CountingService,
): Promise<boolean> {
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
    ...context.ledger,
    together: (work) =>
      context.ledger.together(() => {
        const result = work();
        commits += 1;
        if (commits > after) throw enough;
        return result;
      }),
  };
  const maxCalls = kind === 'budget' ? after + 1 : undefined;
  const job = { ...context.job, limits: { ...context.job.limits, maxCalls } };
  const ledger = kind === 'crash' ? dying : context.ledger;
  try {
    const options = { signal: never, stopping: stopping.signal };
    await makeCalls({ ...context, job, ledger }, api, options);
    if (sends > (maxCalls ?? sends)) throw new Error(`${sends} calls, not ${maxCalls}, were made`);
    return true;
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    if (error.code === 'BUDGET_SPENT' && sends !== maxCalls) {
      throw new Error(`${sends} calls, not ${maxCalls}, were made`, { cause: error });
    }
    isDead = true;
    return false;
  }
}

/** Every answer is due to be stored as soon as it has come. */
function hastyClock() {
  const clock = openFakeClock();
  return {
    ...clock,
    monotonicMs: () => {
      clock.advance(100);
      return clock.monotonicMs();
    },
  };
}
