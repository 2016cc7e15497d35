import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { compare, takeTurns } from './harness/rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { connections, freshPaths, stepsOfARun } from './run/compared-programs.ts';
import { fastService } from './run/fast-service-path.ts';
import { writeList } from './run/sample-sites.ts';

const latencyMs = 50;

/** Calls to a slow service: the concurrency must be used in full all the time. */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  const ideal = connections / (latencyMs / 1_000);
  const rows = ideal * (isSmall ? 3 : 30);
  using folder = temporaryFolder();
  const args = [fastService, '--latency', String(latencyMs)];
  await using service = await startServer(args, { logPath: join(folder.path, 'service.log') });
  const list = join(folder.path, 'list.csv');
  await writeList(list, rows);
  tell(`${rows} rows with ${latencyMs} ms for each answer, again and again`);
  const rounds = await takeTurns(isSmall ? 2 : 5, {
    measured: async () => {
      const { calling } = await stepsOfARun(service.url, list, freshPaths(folder.path));
      return rows / calling.seconds;
    },
    ceiling: async () => ideal,
  });
  return [
    {
      name: 'latency-bound calls, against slots by latency',
      unit: 'calls/s',
      ...compare(rounds, (rate) => rate),
      goal: { atLeast: 0.95 },
    },
  ];
}
