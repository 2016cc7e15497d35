import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { compare, median, takeTurns } from './harness/rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { bareLoop, commonScript, dossierRun, freshPlaces } from './run/contestants.ts';
import { fastService } from './run/fast-service-path.ts';
import { writeList } from './run/sample-sites.ts';

const memoryLimitMiB = 300;

/** From the start of the process to its end, a CSV in and companies.csv out. */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  const rows = isSmall ? 5_000 : 100_000;
  using folder = temporaryFolder();
  await using service = await startServer([fastService], {
    logPath: join(folder.path, 'service.log'),
  });
  const list = join(folder.path, 'list.csv');
  await writeList(list, rows);
  tell(`${rows} rows by Dossier, by a common script and by a bare loop, again and again`);
  const rounds = await takeTurns(5, {
    dossier: async () => asResult(await dossierRun(service.url, list, freshPlaces(folder.path))),
    script: async () =>
      asResult(await commonScript(service.url, list, join(folder.path, 'script.csv'))),
    bare: async () => ({ ...(await bareLoop(service.url, rows)), peakMiB: 0 }),
  });
  const rate = ({ seconds }: Result) => rows / seconds;
  const memoryOf = (side: 'dossier' | 'script') =>
    Math.round(median(rounds.map((round) => round[side].peakMiB)));
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
