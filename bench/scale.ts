import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { type ServerProcess, startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { dossierRun, freshPaths } from './run/compared-programs.ts';
import { fastService } from './run/fast-service-path.ts';
import type { Seen } from './run/rate-window.ts';
import { writeList } from './run/sample-sites.ts';
import { benchKey, dossierMain } from './service/dossier-command.ts';

const memoryLimitMiB = 300;
const resumeLimitSeconds = 3;

interface Measured {
  readonly rowsPerSecond: number;
  readonly peakMiB: number;
  readonly ledgerBytesPerRow: number;
}

/** Runs over lists that grow tenfold each time; half of their rows are duplicates. */
export async function run({ isSmall, isLong, tell }: BenchOptions): Promise<Figure[]> {
  const few = isSmall ? [1_000, 10_000] : [10_000, 100_000];
  const sizes = isLong ? [...few, 1_000_000, 5_000_000] : few;
  using folder = temporaryFolder();
  await using service = await startServer([fastService], {
    logPath: join(folder.path, 'service.log'),
  });
  const measured: Measured[] = [];
  for (const rows of sizes) {
    tell(`running ${rows} rows`);
    measured.push(await measure(service, folder.path, rows));
  }
  const most = sizes.at(-1) ?? 0;
  tell(`killing a run of ${most} rows and resuming it`);
  const resumeSeconds = await measureResume(service, folder.path, most);

  const rates = measured.map(({ rowsPerSecond }) => rowsPerSecond);
  const [smallest, largest] = [measured[0], measured.at(-1)];
  const bytes = [largest?.ledgerBytesPerRow ?? 0, smallest?.ledgerBytesPerRow ?? 0] as const;
  return [
    {
      ...figure(
        'scale: slowest size, against the fastest',
        'rows/s',
        Math.min(...rates),
        Math.max(...rates),
      ),
      goal: { atLeast: 0.8 },
      notes: sizes.map((rows, index) => describe(rows, measured[index])),
    },
    {
      ...figure(
        'scale: peak memory, against the limit',
        'MiB',
        Math.max(...measured.map(({ peakMiB }) => peakMiB)),
        memoryLimitMiB,
      ),
      goal: { atMost: 1 },
    },
    {
      ...figure('scale: ledger, against that of the shortest list', 'bytes a row', ...bytes),
      goal: { atMost: 1.2 },
    },
    {
      ...figure('scale: first call of a resumed run', 's', resumeSeconds, resumeLimitSeconds),
      goal: { atMost: 1 },
    },
  ];
}

/** A figure without rounds. Each size runs once: the large ones take longer than all other benches. */
function figure(name: string, unit: string, measured: number, ceiling: number): Figure {
  const ratio = measured / ceiling;
  const spread = { low: ratio, high: ratio };
  return { name, unit, figure: measured, ceiling, ratio, spread, rounds: 1 };
}

function describe(rows: number, measured: Measured | undefined): string {
  const { rowsPerSecond = 0, peakMiB = 0 } = measured ?? {};
  return `${rows} rows: ${Math.round(rowsPerSecond)} rows/s, ${Math.round(peakMiB)} MiB`;
}

async function measure(service: ServerProcess, folder: string, rows: number): Promise<Measured> {
  const list = join(folder, 'list.csv');
  await writeList(list, rows, rows / 2);
  const { ledger, output } = freshPaths(folder);
  const { seconds, peakMiB } = await dossierRun(service.url, list, { ledger, output });
  return {
    rowsPerSecond: rows / seconds,
    peakMiB,
    ledgerBytesPerRow: statSync(ledger).size / rows,
  };
}

/** Kills a run half-way, and measures the time from the start of the next process to its first call. */
async function measureResume(
  service: ServerProcess,
  folder: string,
  rows: number,
): Promise<number> {
  const list = join(folder, 'list.csv');
  await writeList(list, rows, rows / 2);
  const ledger = join(folder, 'ledger-killed.db');
  const before = await requestsOf(service);
  const killed = start(service, folder, list, ledger);
  while ((await requestsOf(service)) < before + rows / 20) await sleep(50);
  killed.kill('SIGKILL');
  await once(killed, 'exit');

  const answered = await requestsOf(service);
  const startedAt = performance.now();
  const resumed = start(service, folder, list, ledger);
  while ((await requestsOf(service)) === answered) await sleep(5);
  const seconds = (performance.now() - startedAt) / 1_000;
  resumed.kill('SIGKILL');
  await once(resumed, 'exit');
  return seconds;
}

function start(service: ServerProcess, folder: string, list: string, ledger: string) {
  const flags = ['--url', service.url, '--rate', 'none', '--concurrency', '64', '--json'];
  const pathFlags = ['--ledger', ledger, '--output', join(folder, 'out')];
  return spawn(process.execPath, [dossierMain, 'run', list, ...flags, ...pathFlags], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, DOSSIER_API_KEY: benchKey },
  });
}

async function requestsOf(service: ServerProcess): Promise<number> {
  const seen = (await (await fetch(`${service.url}/seen`)).json()) as Seen;
  return seen.requests;
}
