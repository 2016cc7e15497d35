import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { dossierMain } from './harness/programs.ts';
import { compare, takeTurns } from './harness/rounds.ts';
import { openBenchSetup } from './run/bench-setup.ts';
import {
  bareLoop,
  commonScript,
  dossierRun,
  freshPaths,
  plainComposition,
} from './run/compared-programs.ts';

const memoryLimitMiB = 290;

const nothing = { seconds: 0, cpuSeconds: 0, peakMiB: 0 };

/** A whole process, from a CSV list to companies.csv. */
export async function run(options: BenchOptions): Promise<Figure[]> {
  await using setup = await openBenchSetup(options);
  const { rows, url, list, folder } = setup;
  const { against } = options;
  const dossier = (main: string) => () =>
    dossierRun(url, list, freshPaths(folder), undefined, main);
  options.tell(`${rows} rows by each program, in turns`);
  const rounds = await takeTurns(options.rounds ?? 6, {
    dossier: dossier(dossierMain),
    script: () => commonScript(url, list, join(folder, 'script.csv')),
    plain: () => plainComposition(url, list, folder),
    bare: async () => ({ ...(await bareLoop(url, rows)), peakMiB: 0 }),
    earlier: against === undefined ? async () => nothing : dossier(join(against, 'src/main.ts')),
  });
  type Side = keyof (typeof rounds)[number];
  const perSecond = ({ seconds }: { seconds: number }) => rows / seconds;
  const perCpuSecond = ({ cpuSeconds }: { cpuSeconds: number }) => rows / cpuSeconds;
  const cpuMs = ({ cpuSeconds }: { cpuSeconds: number }) => (1_000 * cpuSeconds) / rows;
  const versus = (side: Side) =>
    rounds.map((round) => ({ measured: round.dossier, ceiling: round[side] }));
  const peakMiB = (side: Side) =>
    Math.round(Math.max(...rounds.map((round) => round[side].peakMiB)));
  const limit = { ...nothing, peakMiB: memoryLimitMiB };
  return [
    {
      name: 'end to end, against a bare undici loop',
      unit: 'rows/s',
      ...compare(versus('bare'), perSecond),
      goal: { atLeast: 0.33 },
    },
    {
      name: 'the same for each second of CPU',
      unit: 'rows/CPU s',
      ...compare(versus('bare'), perCpuSecond),
    },
    {
      name: 'end to end, against the script that most people would write',
      unit: 'rows/s',
      ...compare(versus('script'), perSecond),
      goal: { atLeast: 1.7 },
      notes: [`peak memory: ${peakMiB('dossier')} MiB; the script ${peakMiB('script')} MiB`],
    },
    {
      name: 'end to end, against a plain durable composition in one thread',
      unit: 'rows/s',
      ...compare(versus('plain'), perSecond),
      goal: { atLeast: 1.15 },
    },
    {
      name: 'CPU of a row, against the plain composition',
      unit: 'ms',
      ...compare(versus('plain'), cpuMs),
      goal: { atMost: 1.35 },
    },
    {
      name: 'peak memory, against the limit',
      unit: 'MiB',
      ...compare(
        rounds.map((round) => ({ measured: round.dossier, ceiling: limit })),
        (result) => result.peakMiB,
      ),
      goal: { atMost: 1 },
    },
    ...(against === undefined
      ? []
      : [
          {
            name: 'CPU of a row, against the earlier version',
            unit: 'ms',
            ...compare(versus('earlier'), cpuMs),
            goal: { atMost: 0.85 },
          },
          {
            name: 'end to end, against the earlier version',
            unit: 'rows/s',
            ...compare(versus('earlier'), perSecond),
          },
        ]),
  ];
}
