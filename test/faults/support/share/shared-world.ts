import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { openLedgerToRead } from '../../../../src/engine/ledger/open-ledger.ts';
import { shareKeys } from '../../../../src/integrations/share/redis.ts';
import {
  expectFilesToFitManifest,
  expectOneOutcomeForEachRow,
  expectWholeLedger,
  filesIn,
  untroubledFiles,
} from '../oracle.ts';
import { defaultShape, jobName, type Shape } from '../sample-job.ts';
import {
  type CountingService,
  type Ended,
  type Machine,
  openCountingService,
  openMachine,
  type React,
  type StartOptions,
  worldKey,
} from '../world.ts';

/** Machines with a ledger and a list each, whose lists overlap, one service, and one Redis. */
export interface SharedWorld extends CountingService {
  /** Another for each world: services may have a port one after the other, and would share answers. */
  readonly key: string;
  readonly machines: readonly [Machine, Machine, ...Machine[]];
  /**
   * Starts a run on each machine, and resolves when all have entered the share. No request is answered before,
   * so that none of them has ended by then.
   */
  enterAll(redisUrl: string): Promise<EnteredRuns>;
  /** Runs all machines at the same time, in different processes. */
  runAll(options?: StartOptions): Promise<Ended[]>;
}

export interface EnteredRuns {
  /** All of them have ended. */
  readonly ended: Promise<readonly Ended[]>;
  /** Waits until so many requests more have arrived, or all runs have ended without them. */
  untilAskedMore(requests: number): Promise<void>;
}

/** Small, so that rows of another machine are met while they are asked, and after it. */
const defaults = { rows: 20, people: 2, concurrency: 3, formats: ['jsonl'] } as const;
/** A worker that dies is missed after so long; by default it would be five times as much. */
const shortLockMs = 4_000;
/** Where nobody dies, a machine that is only slow is not to be taken for dead. */
export const patient = { lockMs: 20_000 } as const;

interface SharedShape extends Partial<Shape> {
  readonly machines?: number;
  /** Each list begins so many rows after the one before. */
  readonly shiftedBy?: number;
  /** After so long without a sign of life a worker counts as dead. */
  readonly lockMs?: number;
}

export async function openSharedWorld(
  redisUrl: string,
  changes: SharedShape = {},
  react: React = answerSlowly,
): Promise<SharedWorld> {
  const { machines: count = 2, shiftedBy = 10, lockMs = shortLockMs, ...own } = changes;
  const shape = { ...defaultShape, ...defaults, ...own };
  let held: Promise<void> | undefined;
  const service = await openCountingService(shape, async (request, index) => {
    await held;
    return await react(request, index);
  });
  const key = `${worldKey}-${randomUUID()}`;
  const { present } = shareKeys(service.url, key);
  const machines = Array.from({ length: count }, (_, number) => {
    const machine = openMachine(service.url, { ...shape, from: shape.from + number * shiftedBy });
    const shared = (options: StartOptions = {}): StartOptions => ({
      ...options,
      env: {
        DOSSIER_API_KEY: key,
        DOSSIER_SHARE: redisUrl,
        DOSSIER_SHARE_LOCK_MS: String(lockMs),
        ...options.env,
      },
    });
    return {
      ...machine,
      start: (options) => machine.start(shared(options)),
      run: (options) => machine.run(shared(options)),
    } satisfies Machine;
  }) as [Machine, Machine, ...Machine[]];
  // The first runs in the process of other commands, which costs less.
  const runAll = (options?: StartOptions) =>
    Promise.all(
      machines.map((machine, at) =>
        at === 0 ? machine.run(options) : machine.start(options).ended,
      ),
    );
  return {
    ...service,
    key,
    machines,
    runAll,
    async enterAll(address) {
      const { promise, resolve: answer } = Promise.withResolvers<void>();
      held = promise;
      const ended = runAll();
      try {
        await Promise.race([untilEntered(address, present, count), failAtEnd(ended)]);
      } finally {
        answer();
      }
      const untilAskedMore = async (requests: number) => {
        await Promise.race([service.untilAsked(service.asked().length + requests), ended]);
      };
      return { ended, untilAskedMore };
    },
    async [Symbol.asyncDispose]() {
      for (const machine of machines) await machine[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

async function untilEntered(redisUrl: string, present: string, machines: number): Promise<void> {
  const redis = new Redis(redisUrl);
  try {
    while ((await redis.zcard(present)) < machines) await delay(20);
  } finally {
    redis.disconnect();
  }
}

async function failAtEnd(ended: Promise<readonly Ended[]>): Promise<never> {
  const texts = (await ended).map(({ stderr }) => stderr);
  throw new Error(`runs have ended before all had entered:\n${texts.join('\n')}`);
}

/** So slowly that calls are in flight at any time. */
async function answerSlowly(): Promise<undefined> {
  await delay(20);
  return undefined;
}

interface Allowances {
  /** Processes that were killed, stopped for long or cut off, each perhaps with calls in flight. */
  readonly kills?: number;
  /** Requests that brought nothing and were paid for: the budget of a run counts them. */
  readonly paidForNothing?: number;
}

/**
 * The oracle of every case, for machines that have finished in spite of all faults: each row of each has
 * exactly one outcome, the files equal those of a machine that shares nothing, only calls in flight at a
 * kill were asked again, and each request was paid for by one run.
 */
export async function expectSharedOnce(
  world: SharedWorld,
  { kills = 0, paidForNothing = 0 }: Allowances = {},
): Promise<void> {
  for (const machine of world.machines) {
    expectOneOutcomeForEachRow(machine);
    expect(filesIn(machine.output), 'files').toEqual(await untroubledFiles(machine.shape));
    expectFilesToFitManifest(machine.output);
    expectWholeLedger(machine.ledger);
  }
  const inFlight = kills * (world.machines[0].shape.concurrency * world.machines.length);
  const answered = world.asked().filter(({ isTroubled }) => !isTroubled);
  const times = Map.groupBy(answered, ({ call }) => call);
  const different = times.size;
  const again = [...times].filter(([, requests]) => requests.length > 1);
  const listed = again.map(([call, requests]) => {
    const at = requests.map(({ atMs }) => `${Math.round(atMs - (answered[0]?.atMs ?? 0))} ms`);
    return `${call} at ${at.join(', ')}`;
  });
  expect(
    answered.length - different,
    `questions asked again:\n${listed.join('\n')}\n`,
  ).toBeLessThanOrEqual(inFlight);
  const paid = world.machines.reduce((sum, { ledger }) => sum + requestsIn(ledger), 0);
  if (kills === 0) expect(paid, 'requests paid for').toBe(answered.length + paidForNothing);
  else expect(paid, 'requests paid for').toBeGreaterThanOrEqual(answered.length);
}

/** The requests that a ledger has counted as paid for. */
export function requestsIn(path: string): number {
  using ledger = openLedgerToRead(path);
  const rows = ledger?.spend.since(0) ?? [];
  return rows.reduce((sum, row) => sum + row.requests, 0);
}

/** Where the answers of a machine have come from. */
export function callsIn(path: string) {
  using ledger = openLedgerToRead(path);
  const run = ledger?.runs.newest(jobName);
  const { calls } = ledger?.progress.counts(run?.id ?? 0) ?? {};
  expect(calls).toBeDefined();
  return calls as NonNullable<typeof calls>;
}
