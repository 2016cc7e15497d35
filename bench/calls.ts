import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { compare, interleave } from './harness/rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { bareLoop, freshPlaces, stepsOfARun } from './run/contestants.ts';
import { fastService } from './run/fast-service-path.ts';
import { writeList } from './run/sample-sites.ts';

/** Distinct domains, no rate, no latency: how many rows a second are settled, each on the disk. */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  const rows = isSmall ? 5_000 : 100_000;
  using folder = temporaryFolder();
  await using service = await startServer([fastService], {
    logPath: join(folder.path, 'service.log'),
  });
  const list = join(folder.path, 'list.csv');
  await writeList(list, rows);
  tell(`settling ${rows} rows, again and again`);
  const rounds = await interleave(5, {
    measured: async () => {
      const steps = await stepsOfARun(service.url, list, freshPlaces(folder.path));
      if (steps.calls !== rows) throw new Error(`${steps.calls} calls were made for ${rows} rows`);
      return steps.calling;
    },
    ceiling: () => bareLoop(service.url, rows),
  });
  return [
    {
      name: 'call path: rows settled durably, against a bare undici loop',
      unit: 'rows/s',
      ...compare(rounds, ({ seconds }) => rows / seconds),
      goal: { atLeast: 0.45 },
    },
    {
      name: 'the same for each second of CPU, all threads counted',
      unit: 'rows/CPU s',
      ...compare(rounds, ({ cpuSeconds }) => rows / cpuSeconds),
    },
  ];
}
