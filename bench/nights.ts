import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import type { ProcessResult } from './harness/measured-process.ts';
import { fastService } from './harness/programs.ts';
import { median } from './harness/rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { dossierRun, freshPaths } from './run/compared-programs.ts';
import { siteDomain, writeRows } from './run/sample-sites.ts';

const memoryLimitMiB = 300;
/** One row in so many changes each night. */
const changedRow = 100;
const rarelyChangedRow = 1_000;

interface Night extends Pick<ProcessResult, 'seconds' | 'cpuSeconds' | 'peakMiB'> {
  readonly addedBytes: number;
}

/**
 * Runs a list night after night: unchanged, then with one row in a hundred changed each night, then
 * with one in a thousand.
 */
export async function run(options: BenchOptions): Promise<Figure[]> {
  const { isSmall, rounds, tell, rows = isSmall ? 5_000 : 100_000 } = options;
  const nights = rounds ?? (isSmall ? 5 : 30);
  const otherNights = Math.min(nights, 5);
  using folder = temporaryFolder();
  await using service = await startServer([fastService], {
    logPath: join(folder.path, 'service.log'),
  });
  const paths = freshPaths(folder.path);
  const list = join(folder.path, 'list.csv');
  let bytesBefore = 0;
  const runNight = async (nightOf: (row: number) => number): Promise<Night> => {
    await writeRows(list, rows, (row) => rowOf(row, nightOf(row), rows));
    const { seconds, cpuSeconds, peakMiB } = await dossierRun(service.url, list, paths);
    const bytes = statSync(paths.ledger).size;
    const addedBytes = bytes - bytesBefore;
    bytesBefore = bytes;
    return { seconds, cpuSeconds, peakMiB, addedBytes };
  };

  tell(`the first night of ${rows} rows`);
  const first = await runNight(() => 0);
  tell(`${otherNights} unchanged nights`);
  const unchanged: Night[] = [];
  for (let night = 0; night < otherNights; night += 1) unchanged.push(await runNight(() => 0));
  tell(`${nights} nights with one row in ${changedRow} changed`);
  const changed: Night[] = [];
  for (let night = 1; night <= nights; night += 1) changed.push(await runNight(() => night));
  tell(`${otherNights} nights with one row in ${rarelyChangedRow} changed`);
  const barelyChanged: Night[] = [];
  for (let night = 1; night <= otherNights; night += 1) {
    const isChanged = (row: number) => row % rarelyChangedRow < night;
    barelyChanged.push(await runNight((row) => nights + (isChanged(row) ? changedRow : 0)));
  }

  const against = (name: string, numberOf: (night: Night) => number, measured: readonly Night[]) =>
    figure(`nights: ${name}, against the first`, measured.map(numberOf), numberOf(first));
  const addedBytes = (night: Night) => night.addedBytes;
  const seconds = (night: Night) => night.seconds;
  const cpu = (night: Night) => night.cpuSeconds;
  const peak = Math.max(...unchanged.map(({ peakMiB }) => peakMiB));
  return [
    {
      ...against('time of an unchanged night', seconds, unchanged),
      unit: 's',
      goal: { atMost: 0.12 },
    },
    { ...against('CPU of an unchanged night', cpu, unchanged), unit: 's' },
    {
      ...against('bytes that an unchanged night adds', addedBytes, unchanged),
      unit: 'bytes',
      goal: { atMost: 0.01 },
    },
    {
      ...against('bytes that a night with 1% changed adds', addedBytes, changed),
      unit: 'bytes',
      goal: { atMost: 0.03 },
    },
    {
      ...against('time of a night with 1% changed', seconds, changed),
      unit: 's',
      goal: { atMost: 0.25 },
    },
    { ...against('CPU of a night with 1% changed', cpu, changed), unit: 's' },
    {
      ...figure(
        'nights: time of a night with 0.1% changed, against an unchanged one',
        barelyChanged.map(seconds),
        median(unchanged.map(seconds)),
      ),
      unit: 's',
      goal: { atMost: 2 },
    },
    {
      ...figure(
        'nights: CPU of a night with 0.1% changed, against an unchanged one',
        barelyChanged.map(cpu),
        median(unchanged.map(cpu)),
      ),
      unit: 's',
    },
    {
      ...figure('nights: memory of an unchanged night, against the limit', [peak], memoryLimitMiB),
      unit: 'MiB',
      goal: { atMost: 1 },
    },
  ];
}

/** The line of a row on a night: half of the rows that change have another site, half another name. */
function rowOf(row: number, night: number, rows: number): string {
  // The last night on which the row changed: each night takes the next of every hundred.
  const last = night - ((((night - row) % changedRow) + changedRow) % changedRow);
  const changes = last < 1 ? 0 : last;
  const isOtherSite = Math.floor(row / changedRow) % 2 === 0;
  const site = changes > 0 && isOtherSite ? rows + row + changes : row;
  const name = changes > 0 && !isOtherSite ? `Company ${row}, night ${changes}` : `Company ${row}`;
  return `"${name}",https://www.${siteDomain(site % 10_000_000)}/`;
}

function figure(name: string, measured: readonly number[], ceiling: number): Omit<Figure, 'unit'> {
  const ratios = measured.map((number) => number / ceiling);
  const spread = { low: Math.min(...ratios), high: Math.max(...ratios) };
  const numbers = { figure: median(measured), ceiling, ratio: median(ratios) };
  return { name, ...numbers, spread, rounds: measured.length };
}
