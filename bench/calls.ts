import type { BenchOptions, Figure } from './harness/bench.ts';
import { compare, takeTurns } from './harness/rounds.ts';
import { openBenchSetup } from './run/bench-setup.ts';
import { bareLoop, freshPaths, stepsOfARun } from './run/compared-programs.ts';

/** Calls for distinct domains, without rate or latency: how many a second are completed and stored. */
export async function run(options: BenchOptions): Promise<Figure[]> {
  await using setup = await openBenchSetup(options);
  const { rows, url, list, folder } = setup;
  options.tell(`settling ${rows} rows, again and again`);
  const rounds = await takeTurns(5, {
    measured: async () => {
      const steps = await stepsOfARun(url, list, freshPaths(folder));
      if (steps.calls !== rows) throw new Error(`${steps.calls} calls were made for ${rows} rows`);
      return steps.calling;
    },
    ceiling: () => bareLoop(url, rows),
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
