import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { measureProcess, type ProcessResult } from './harness/measured-process.ts';
import { compare, interleave, type Round } from './harness/rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { dossierRun, freshPaths } from './run/compared-programs.ts';
import { fastService } from './run/fast-service-path.ts';
import { siteDomain, writeRows } from './run/sample-sites.ts';
import { dossierMain } from './service/dossier-command.ts';

const memoryLimitMiB = 300;
/** One row in so many is rejected, and fills a second sheet. */
const rejectedRow = 10;

interface Exported extends ProcessResult {
  readonly megabytes: number;
}

/** Exports a list from a known ledger as a workbook, and as CSV beside it. */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  const [rows, rounds] = isSmall ? [5_000, 1] : [200_000, 2];
  using folder = temporaryFolder();
  const list = join(folder.path, 'list.csv');
  const { ledger, output } = freshPaths(folder.path);
  await writeRows(list, rows, (row) =>
    row % rejectedRow === 0 ? `Company ${row},nowhere` : `Company ${row},${siteDomain(row)}`,
  );
  tell(`fetching ${rows} rows`);
  {
    await using service = await startServer([fastService], {
      logPath: join(folder.path, 'service.log'),
    });
    await dossierRun(service.url, list, { ledger, output });
  }

  const exportAs = async (format: string, file: string): Promise<Exported> => {
    rmSync(output, { recursive: true, force: true });
    const flags = ['--ledger', ledger, '--output', output, '--format', format, '--json'];
    const result = await measureProcess([dossierMain, 'export', list, ...flags]);
    return { ...result, megabytes: statSync(join(output, file)).size / 1e6 };
  };
  tell('exporting them as a workbook and as CSV, in turn');
  const taken = await interleave(rounds, {
    measured: () => exportAs('xlsx', 'workbook.xlsx'),
    ceiling: () => exportAs('csv', 'companies.csv'),
  });
  return [
    {
      name: `workbook of ${rows} rows, against CSV`,
      unit: 'rows/s',
      ...compare(taken, ({ seconds }) => rows / seconds),
      notes: taken.map(describe),
    },
    {
      name: `workbook of ${rows} rows: peak memory, against the limit`,
      unit: 'MiB',
      ...compare(taken.map(asMemory), (mebibytes) => mebibytes),
      goal: { atMost: 1 },
    },
  ];
}

function asMemory({ measured }: Round<Exported>): Round<number> {
  return { measured: measured.peakMiB, ceiling: memoryLimitMiB };
}

function describe({ measured, ceiling }: Round<Exported>): string {
  const about = ({ seconds, cpuSeconds, peakMiB, megabytes }: Exported) =>
    `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, ${Math.round(peakMiB)} MiB, ${megabytes.toFixed(0)} MB on the disk`;
  return `xlsx ${about(measured)}; CSV ${about(ceiling)}`;
}
