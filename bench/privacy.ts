import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { measureProcess, type ProcessResult } from './harness/measured-process.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { dossierRun, freshPaths } from './run/compared-programs.ts';
import { fastService } from './run/fast-service-path.ts';
import { siteDomain, writeList, writeRows } from './run/sample-sites.ts';
import { dossierMain } from './service/dossier-command.ts';

/** Plans with and without a suppression list, and forgets a company in a ledger of a whole run. */
export async function run({ isSmall, isLong, tell }: BenchOptions): Promise<Figure[]> {
  const values = isSmall ? 10_000 : 1_000_000;
  const answers = isLong ? 1_000_000 : isSmall ? 1_000 : 100_000;
  using folder = temporaryFolder();
  const list = join(folder.path, 'list.csv');
  const suppressed = join(folder.path, 'suppressed.csv');
  const { ledger, output } = freshPaths(folder.path);
  await using service = await startServer([fastService], {
    logPath: join(folder.path, 'service.log'),
  });
  // None of these is in the list below.
  await writeRows(suppressed, values, (row) => `Company ${row},${siteDomain(9_999_999 - row)}`);

  tell(`planning 10 rows, with and without a list of ${values} suppressed domains`);
  await writeList(list, 10);
  const plan = [dossierMain, 'plan', list, '--url', service.url, '--ledger', ledger, '--json'];
  const plain = await measureProcess(plan);
  const guarded = await measureProcess([...plan, '--suppress', suppressed]);

  tell(`running ${answers} rows, then forgetting one company`);
  await writeList(list, answers);
  const job = join(folder.path, 'job.yaml');
  const where = { input: { path: list }, ledger: { path: ledger }, output: { path: output } };
  writeFileSync(job, JSON.stringify({ name: 'privacy', ...where }));
  await dossierRun(service.url, job, { ledger, output });
  const gone = siteDomain(Math.floor(answers / 2));
  const forgotten = await measureProcess([dossierMain, 'forget', gone, '--job', job, '--json']);
  const { companies, written } = JSON.parse(forgotten.stdout);
  if (companies !== 1 || written.length !== 1) throw new Error(forgotten.stdout);
  return [
    against(
      `privacy: memory of ${values} suppressed values`,
      'MiB',
      guarded.peakMiB - plain.peakMiB,
      100,
      [about(guarded)],
    ),
    against(`privacy: forget among ${answers} answers`, 's', forgotten.seconds, 600, [
      about(forgotten),
    ]),
    against(
      `privacy: memory of forget among ${answers} answers`,
      'MiB',
      forgotten.peakMiB,
      300,
      [],
    ),
  ];
}

/** One measurement against its limit. */
function against(
  name: string,
  unit: string,
  figure: number,
  ceiling: number,
  notes: readonly string[],
): Figure {
  const ratio = figure / ceiling;
  const spread = { low: ratio, high: ratio };
  return { name, unit, figure, ceiling, ratio, spread, rounds: 1, goal: { atMost: 1 }, notes };
}

function about({ seconds, cpuSeconds, peakMiB }: ProcessResult): string {
  return `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, ${Math.round(peakMiB)} MiB`;
}
