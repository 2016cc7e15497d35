import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { compare, interleave, median, takeTurns } from './harness/rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { dossierRun, freshPlaces, stepsOfARun } from './run/contestants.ts';
import { timeExportSteps } from './run/export-steps.ts';
import { fastService } from './run/fast-service-path.ts';
import { writeList } from './run/sample-sites.ts';

const wantedCompaniesPerSecond = 12_000;

/** The same list again: no call is made, and what is left is reading, looking up and writing. */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  const rows = isSmall ? 5_000 : 100_000;
  using folder = temporaryFolder();
  await using service = await startServer([fastService], {
    logPath: join(folder.path, 'service.log'),
  });
  const list = join(folder.path, 'list.csv');
  await writeList(list, rows);
  const known = { ledger: join(folder.path, 'known.db'), output: join(folder.path, 'known') };
  tell(`settling ${rows} rows, then the same from the ledger, again and again`);
  await dossierRun(service.url, list, known);
  const rounds = await interleave(5, {
    measured: () => dossierRun(service.url, list, known),
    ceiling: () => dossierRun(service.url, list, freshPlaces(folder.path)),
  });

  tell(`exporting ${rows} companies, again and again`);
  const exports = await takeTurns(5, {
    measured: async () => rows / (await stepsOfARun(service.url, list, known)).writing.seconds,
    ceiling: async () => wantedCompaniesPerSecond,
  });
  const shares = timeExportSteps(isSmall ? 5_000 : 20_000);
  return [
    {
      name: 'answers at hand, against the run that fetched them',
      unit: 'rows/s',
      ...compare(rounds, ({ seconds }) => rows / seconds),
      goal: { atLeast: 5 },
      notes: [
        `at most ${Math.round(median(rounds.map(({ measured }) => measured.peakMiB)))} MiB of memory`,
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
