import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { quietRounds } from './harness/quiet-rounds.ts';
import { compare, takeTurns } from './harness/rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { connections, dossierRun, freshPaths } from './run/compared-programs.ts';
import { fastService } from './run/fast-service-path.ts';
import { rateFigures } from './run/rate-figures.ts';
import type { Seen } from './run/rate-window.ts';
import { startRedis } from './run/redis-process.ts';
import { siteDomain, writeRows } from './run/sample-sites.ts';

const latencyMs = 30;
const runsAtOnce = 3;

/** Runs that share a key through Redis: is the rate used and held, and what does a call cost more? */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  const [rounds, seconds] = isSmall ? [1, 6] : [3, 10];
  for (const rate of [60, 200]) {
    tell(`${runsAtOnce} runs with ${rate} requests a second together, ${rounds} times`);
    const setup = { rate, rows: rate * seconds, runs: runsAtOnce };
    const measured = await quietRounds(
      { rounds, isSmall },
      async () => (await measure(setup)).seen,
    );
    const goal = { rate, leastUse: 0.95, rounds };
    figures.push(...rateFigures(`share, ${runsAtOnce} runs at rate ${rate}:`, goal, measured));
  }
  const rows = isSmall ? 2_000 : 20_000;
  for (const runs of [1, 2, 4]) {
    tell(`${runs === 1 ? 'one run' : `${runs} runs`} without a rate, and one that shares nothing`);
    const turns = await takeTurns(isSmall ? 1 : 3, {
      measured: async () => callsPerSecond(await measure({ rate: 'none', rows, runs })),
      ceiling: async () =>
        callsPerSecond(await measure({ rate: 'none', rows, runs: 1, isShared: false })),
    });
    figures.push({
      name: `share: calls a second of ${runs === 1 ? 'one run' : `${runs} runs`}, against a single machine`,
      unit: 'calls/s',
      ...compare(turns, (number) => number),
    });
  }
  figures.push(await overheadOfACall(isSmall, tell));
  return figures;
}

/** One call after the other, so that each waits for all that sharing adds. */
async function overheadOfACall(isSmall: boolean, tell: BenchOptions['tell']): Promise<Figure> {
  const rows = isSmall ? 300 : 1_000;
  tell(`${rows} calls one after the other, shared and not`);
  const one = { rate: 'none', rows, runs: 1, concurrency: 1 } as const;
  const turns = await takeTurns(isSmall ? 1 : 3, {
    measured: async () => msPerCall(await measure(one)),
    ceiling: async () => msPerCall(await measure({ ...one, isShared: false })),
  });
  const compared = compare(turns, (number) => number);
  const overheadMs = compared.figure - compared.ceiling;
  return {
    name: 'share: time of a call, one after the other',
    unit: 'ms',
    ...compared,
    notes: [`sharing adds ${overheadMs.toFixed(1)} ms to a call`],
  };
}

interface Measured {
  readonly rows: number;
  readonly seen: Seen;
}

function callsPerSecond({ seen }: Measured): number {
  return (seen.requests - 1) / seen.seconds;
}

function msPerCall(measured: Measured): number {
  return 1_000 / callsPerSecond(measured);
}

interface Setup {
  readonly rate: number | 'none';
  /** Of all runs together. */
  readonly rows: number;
  readonly runs: number;
  readonly concurrency?: number;
  readonly isShared?: boolean;
}

/** Runs over lists that have no row in common, each with a ledger of its own. */
async function measure({
  rate,
  rows,
  runs,
  concurrency = connections,
  isShared = true,
}: Setup): Promise<Measured> {
  using folder = temporaryFolder();
  const latency = rate === 'none' ? [] : ['--latency', String(latencyMs)];
  // A service without a rate of its own still counts.
  const args = [fastService, '--rate', String(rate === 'none' ? 1_000_000 : rate), ...latency];
  await using service = await startServer(args, { logPath: join(folder.path, 'service.log') });
  const redis = isShared ? await startRedis(folder.path) : undefined;
  const each = Math.ceil(rows / runs);
  const share = redis ? ['--share', redis.url] : [];
  const flags = ['--rate', String(rate), '--concurrency', String(concurrency), ...share];
  const lists = Array.from({ length: runs }, (_, at) => at);
  await Promise.all(
    lists.map(async (at) => {
      const own = join(folder.path, `run-${at}`);
      mkdirSync(own);
      const list = join(own, `list-${at}.csv`);
      await writeRows(list, each, (row) => `Company,https://www.${siteDomain(at * each + row)}/`);
      await dossierRun(service.url, list, freshPaths(own), flags);
    }),
  );
  const seen = (await (await fetch(`${service.url}/seen`)).json()) as Seen;
  await redis?.stop();
  return { rows, seen };
}
