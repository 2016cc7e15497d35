import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { residentMiB, type ServerProcess, startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { benchKey, dossierMain } from './service/dossier-command.ts';

const fastService = fileURLToPath(import.meta.resolve('./run/fast-service.ts'));
const memoryLimitMiB = 300;
const resumeLimitSeconds = 3;

interface Measured {
  readonly rowsPerSecond: number;
  readonly peakMiB: number;
  readonly ledgerBytesPerRow: number;
}

/** What happens to a run when its list grows tenfold; half of the rows are duplicates. */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  using folder = temporaryFolder();
  await using service = await startServer([fastService], {
    logPath: join(folder.path, 'service.log'),
  });
  const [fewer, many] = isSmall ? [1_000, 10_000] : [100_000, 1_000_000];
  tell(`running ${fewer} rows`);
  const small = await measure(service, folder.path, fewer);
  tell(`running ${many} rows`);
  const large = await measure(service, folder.path, many);
  tell(`killing a run of ${many} rows and resuming it`);
  const resumeSeconds = await measureResume(service, folder.path, many);

  const once = { rounds: 1, spread: { low: Number.NaN, high: Number.NaN } };
  const figure = (name: string, unit: string, measured: number, ceiling: number) => ({
    ...{ name, unit, figure: measured, ceiling, ratio: measured / ceiling },
    ...once,
  });
  return [
    {
      ...figure(
        `${many} rows against ${fewer}`,
        'rows/s',
        large.rowsPerSecond,
        small.rowsPerSecond,
      ),
      goal: { atLeast: 0.8 },
    },
    {
      ...figure('peak memory against the limit', 'MiB', large.peakMiB, memoryLimitMiB),
      goal: { atMost: 1 },
      notes: [`${Math.round(small.peakMiB)} MiB at ${fewer} rows`],
    },
    {
      ...figure(
        'growth of the ledger',
        'bytes a row',
        large.ledgerBytesPerRow,
        small.ledgerBytesPerRow,
      ),
      goal: { atMost: 1.2 },
    },
    {
      ...figure('first call of a resumed run', 's', resumeSeconds, resumeLimitSeconds),
      goal: { atMost: 1 },
    },
  ];
}

async function measure(service: ServerProcess, folder: string, rows: number): Promise<Measured> {
  const list = await writeList(folder, rows);
  const ledger = join(folder, `ledger-${rows}.db`);
  const child = start(service, folder, list, ledger);
  let peakMiB = 0;
  const watch = setInterval(() => {
    const now = residentMiB(child.pid);
    if (now > peakMiB) peakMiB = now;
  }, 100);
  const [summary, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  clearInterval(watch);
  if (exitCode !== 0) throw new Error(`run ended with ${exitCode}`);
  const { seconds } = JSON.parse(summary) as { seconds: number };
  return {
    rowsPerSecond: rows / seconds,
    peakMiB,
    ledgerBytesPerRow: statSync(ledger).size / rows,
  };
}

/** Seconds from the start of the process to its first call, after another was killed half-way. */
async function measureResume(
  service: ServerProcess,
  folder: string,
  rows: number,
): Promise<number> {
  const list = await writeList(folder, rows);
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
  const places = ['--ledger', ledger, '--output', join(folder, 'out')];
  return spawn(process.execPath, [dossierMain, 'run', list, ...flags, ...places], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, DOSSIER_API_KEY: benchKey },
  });
}

async function requestsOf(service: ServerProcess): Promise<number> {
  return Number(await (await fetch(`${service.url}/seen`)).text());
}

async function writeList(folder: string, rows: number): Promise<string> {
  const path = join(folder, `list-${rows}.csv`);
  const file = createWriteStream(path);
  file.write('Company,Website\n');
  for (let row = 0; row < rows; row += 1) {
    const name = `site-${row % (rows / 2)}-sample`;
    if (!file.write(`Company ${row},https://www.${name}.com.au/\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
  return path;
}
