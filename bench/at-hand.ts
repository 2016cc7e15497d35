import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { compare, interleave, takeTurns } from './harness/rounds.ts';
import { dossierRun, freshPlaces, stepsOfARun } from './run/contestants.ts';
import { compareCsv, timeExportSteps } from './run/export-steps.ts';
import { openContest } from './run/open-contest.ts';

const wantedCompaniesPerSecond = 12_000;

/** The same list again: no call is made, and what is left is reading, looking up and writing. */
export async function run(options: BenchOptions): Promise<Figure[]> {
  await using contest = await openContest(options);
  const { rows, url, list, folder } = contest;
  const known = { ledger: join(folder, 'known.db'), output: join(folder, 'known') };
  options.tell(`settling ${rows} rows, then the same from the ledger, again and again`);
  await dossierRun(url, list, known);
  const rounds = await interleave(5, {
    measured: () => dossierRun(url, list, known),
    ceiling: () => dossierRun(url, list, freshPlaces(folder)),
  });

  options.tell(`exporting ${rows} companies, again and again`);
  const exports = await takeTurns(5, {
    measured: async () => rows / (await stepsOfARun(url, list, known)).writing.seconds,
    ceiling: async () => wantedCompaniesPerSecond,
  });
  const companies = options.isSmall ? 5_000 : 20_000;
  const shares = [...timeExportSteps(companies), compareCsv(companies)];
  return [
    {
      name: 'answers at hand, against the run that fetched them',
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
      notes: shares,
    },
  ];
}
