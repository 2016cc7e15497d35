import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { compare, takeTurns } from './harness/rounds.ts';
import { openBenchSetup } from './run/bench-setup.ts';
import { dossierRun, freshPaths, stepsOfARun } from './run/compared-programs.ts';

const wantedCompaniesPerSecond = 12_000;

/** Runs a list again when every call is a cache hit: only reading, looking up and writing is left. */
export async function run(options: BenchOptions): Promise<Figure[]> {
  await using setup = await openBenchSetup(options);
  const { rows, url, list, folder } = setup;
  const known = { ledger: join(folder, 'known.db'), output: join(folder, 'known') };
  options.tell(`fetching ${rows} rows, then repeating the run with cache hits only`);
  await dossierRun(url, list, known);
  const rounds = await takeTurns(5, {
    measured: () => dossierRun(url, list, known),
    ceiling: () => dossierRun(url, list, freshPaths(folder)),
  });

  options.tell(`exporting ${rows} companies, again and again`);
  const exports = await takeTurns(5, {
    measured: async () => {
      // A folder that holds the result is left as it is.
      const { output } = freshPaths(folder);
      const { ledger } = known;
      return rows / (await stepsOfARun(url, list, { ledger, output })).writing.seconds;
    },
    ceiling: async () => wantedCompaniesPerSecond,
  });
  return [
    {
      name: 'cache hits, against the run that fetched them',
      unit: 'rows/s',
      ...compare(rounds, ({ seconds }) => rows / seconds),
      goal: { atLeast: 5 },
      notes: [
        `at most ${Math.round(Math.max(...rounds.map(({ measured }) => measured.peakMiB)))} MiB of memory`,
      ],
    },
    {
      name: 'export alone to CSV, against what is wanted',
      unit: 'companies/s',
      ...compare(exports, (rate) => rate),
      goal: { atLeast: 1 },
    },
  ];
}
