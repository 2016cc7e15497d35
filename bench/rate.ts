import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { compare } from './harness/rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { dossierRun, freshPaths } from './run/compared-programs.ts';
import { fastService } from './run/fast-service-path.ts';
import type { Seen } from './run/rate-window.ts';
import { writeList } from './run/sample-sites.ts';

const latencyMs = 30;

/** Runs against a service that counts requests in every sliding second: is the rate used and held? */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  const rates = isSmall ? [50, 200] : [10, 50, 200, 1_000];
  const [rounds, seconds] = isSmall ? [2, 3] : [5, 8];
  const figures: Figure[] = [];
  for (const rate of rates) {
    tell(`${rate} requests a second, ${rounds} times for ${seconds} seconds`);
    const seen: Seen[] = [];
    for (let round = 0; round < rounds; round += 1) seen.push(await measure(rate, rate * seconds));
    figures.push(...figuresOf(rate, seen));
  }
  return figures;
}

function figuresOf(rate: number, seen: readonly Seen[]): Figure[] {
  const against = (numberOf: (one: Seen) => number) =>
    compare(
      seen.map((one) => ({ measured: numberOf(one), ceiling: rate })),
      (number) => number,
    );
  const refused = seen.reduce((sum, one) => sum + one.refused, 0);
  return [
    {
      name: `rate ${rate}: requests a second that were used`,
      unit: 'requests/s',
      // n requests are n - 1 intervals.
      ...against(({ requests, seconds }) => (requests - 1) / seconds),
      goal: { atLeast: 0.98 },
      notes: [`${refused} requests were refused as too many in all rounds`],
    },
    {
      name: `rate ${rate}: most requests in a sliding second`,
      unit: 'requests',
      ...against(({ mostInASecond }) => mostInASecond),
      goal: { atMost: 1 },
    },
  ];
}

async function measure(rate: number, rows: number): Promise<Seen> {
  using folder = temporaryFolder();
  const args = [fastService, '--rate', String(rate), '--latency', String(latencyMs)];
  await using service = await startServer(args, { logPath: join(folder.path, 'service.log') });
  const list = join(folder.path, 'list.csv');
  await writeList(list, rows);
  const flags = ['--rate', String(rate), '--concurrency', '64'];
  await dossierRun(service.url, list, freshPaths(folder.path), flags);
  return (await (await fetch(`${service.url}/seen`)).json()) as Seen;
}
