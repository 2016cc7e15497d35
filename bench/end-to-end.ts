import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { compare, takeTurns } from './harness/rounds.ts';
import { openBenchSetup } from './run/bench-setup.ts';
import { bareLoop, commonScript, dossierRun, freshPaths } from './run/compared-programs.ts';

const memoryLimitMiB = 300;

/** A whole process, from a CSV list to companies.csv. */
export async function run(options: BenchOptions): Promise<Figure[]> {
  await using setup = await openBenchSetup(options);
  const { rows, url, list, folder } = setup;
  options.tell(`${rows} rows by Dossier, by a common script and by a bare loop, again and again`);
  const rounds = await takeTurns(5, {
    dossier: async () => asResult(await dossierRun(url, list, freshPaths(folder))),
    script: async () => asResult(await commonScript(url, list, join(folder, 'script.csv'))),
    bare: async () => ({ ...(await bareLoop(url, rows)), peakMiB: 0 }),
  });
  const rate = ({ seconds }: Result) => rows / seconds;
  const memoryOf = (side: 'dossier' | 'script') =>
    Math.round(Math.max(...rounds.map((round) => round[side].peakMiB)));
  const againstBare = rounds.map(({ dossier, bare }) => ({ measured: dossier, ceiling: bare }));
  const againstScript = rounds.map(({ dossier, script }) => ({
    measured: dossier,
    ceiling: script,
  }));
  const limit = { seconds: 0, cpuSeconds: 0, peakMiB: memoryLimitMiB };
  const againstLimit = rounds.map(({ dossier }) => ({ measured: dossier, ceiling: limit }));
  return [
    {
      name: 'end to end, against a bare undici loop',
      unit: 'rows/s',
      ...compare(againstBare, rate),
      goal: { atLeast: 0.33 },
    },
    {
      name: 'the same for each second of CPU',
      unit: 'rows/CPU s',
      ...compare(againstBare, ({ cpuSeconds }) => rows / cpuSeconds),
    },
    {
      name: 'end to end, against the script that most people would write',
      unit: 'rows/s',
      ...compare(againstScript, rate),
      goal: { atLeast: 3 },
      notes: [`at most ${memoryOf('dossier')} MiB of memory; the script ${memoryOf('script')} MiB`],
    },
    {
      name: 'peak memory, against the limit',
      unit: 'MiB',
      ...compare(againstLimit, ({ peakMiB }) => peakMiB),
      goal: { atMost: 1 },
    },
  ];
}

interface Result {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

function asResult({ seconds, cpuSeconds, peakMiB }: Result): Result {
  return { seconds, cpuSeconds, peakMiB };
}
