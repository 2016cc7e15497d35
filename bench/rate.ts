import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { quietRounds } from './harness/quiet-rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { dossierRun, freshPaths } from './run/compared-programs.ts';
import { fastService } from './run/fast-service-path.ts';
import { rateFigures } from './run/rate-figures.ts';
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
    const measured = await quietRounds({ rounds, isSmall }, () => measure(rate, rate * seconds));
    figures.push(...rateFigures(`rate ${rate}:`, { rate, leastUse: 0.98, rounds }, measured));
  }
  return figures;
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
