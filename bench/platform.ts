import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { measureProcess, type ProcessResult } from './harness/measured-process.ts';
import { compare, takeTurns } from './harness/rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { fastService } from './run/fast-service-path.ts';
import { startPostgres } from './run/postgres-process.ts';
import { writeList } from './run/sample-sites.ts';
import { benchKey, dossierMain } from './service/dossier-command.ts';

const memoryLimitMiB = 350;
const bucket = 'bench';
/** The keys that the store of the bench knows. */
const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

const places = {
  folder: '{path: out, format: parquet}',
  s3: `{path: "s3://${bucket}/out", format: parquet}`,
  postgres: `{postgres: "\${WAREHOUSE_URL}", schema: bench}`,
} as const;
type Place = keyof typeof places;

/** Writes a known result as Parquet to a folder and to an object store, and to PostgreSQL, in turn. */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  const [rows, rounds] = isSmall ? [5_000, 1] : [1_000_000, 1];
  using folder = temporaryFolder();
  const inFolder = (name: string) => join(folder.path, name);
  mkdirSync(inFolder('store'));
  await writeList(inFolder('list.csv'), rows, rows / 2);
  tell(`fetching ${rows} rows`);
  {
    await using service = await startServer([fastService], { logPath: inFolder('service.log') });
    const flags = ['--url', service.url, '--rate', 'none', '--concurrency', '64', '--json'];
    const args = [dossierMain, 'run', writeJob(folder.path, 'folder'), ...flags];
    await measureProcess(args, { DOSSIER_API_KEY: benchKey });
  }
  const storeServer = join(import.meta.dirname, 'run/store-server.ts');
  await using store = await startServer([storeServer, inFolder('store'), bucket], {
    logPath: inFolder('store.log'),
  });
  // Of its own, as it belongs to the user of PostgreSQL.
  using database = temporaryFolder();
  const warehouse = await startPostgres(database.path);
  try {
    const env = { ...credentials, AWS_ENDPOINT_URL: store.url, WAREHOUSE_URL: warehouse.url };
    const write = (place: Place) =>
      measureProcess([dossierMain, 'export', writeJob(folder.path, place), '--json'], env);
    const empty: Readonly<Record<Place, () => void>> = {
      folder: () => rmSync(inFolder('out'), { recursive: true, force: true }),
      s3: () => rmSync(inFolder(`store/${bucket}/out`), { recursive: true, force: true }),
      postgres: () => {
        const statement = 'drop schema if exists bench cascade';
        execFileSync('psql', ['--quiet', '-c', statement, warehouse.url], { stdio: 'ignore' });
      },
    };
    const writeAnew = (place: Place) => () => {
      empty[place]();
      return write(place);
    };
    tell('writing them to a folder, a store and PostgreSQL, in turn');
    const taken = await takeTurns(rounds, {
      folder: writeAnew('folder'),
      s3: writeAnew('s3'),
      postgres: writeAnew('postgres'),
    });
    tell('writing them again, when nothing has changed');
    await write('postgres');
    const again = { s3: await write('s3'), postgres: await write('postgres') };
    return (['s3', 'postgres'] as const).flatMap((place) => [
      {
        name: `platform: ${rows} rows to ${place}, against a folder`,
        unit: 'rows/s',
        ...compare(
          taken.map((round) => ({ measured: round[place], ceiling: round.folder })),
          ({ seconds }) => rows / seconds,
        ),
        notes: [
          ...taken.map((round) => `${place} ${about(round[place])}; folder ${about(round.folder)}`),
          `nothing has changed: ${about(again[place])}`,
        ],
      },
      {
        name: `platform: peak memory of ${place}, against the limit`,
        unit: 'MiB',
        ...compare(
          taken.map((round) => ({ measured: round[place].peakMiB, ceiling: memoryLimitMiB })),
          (mebibytes) => mebibytes,
        ),
        goal: { atMost: 1 },
      },
    ]);
  } finally {
    await warehouse.stop();
  }
}

function writeJob(folder: string, place: Place): string {
  const path = join(folder, `${place}.yaml`);
  const lines = [
    'name: platform',
    'input: {path: list.csv}',
    'ledger: ledger.db',
    `output: ${places[place]}`,
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

function about({ seconds, cpuSeconds, peakMiB }: ProcessResult): string {
  return `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, ${Math.round(peakMiB)} MiB`;
}
