import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { measureProcess } from './harness/measured-process.ts';
import { dossierMain, fastService } from './harness/programs.ts';
import { compare, takeTurns } from './harness/rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { dossierRun, freshPaths } from './run/compared-programs.ts';
import { writeList } from './run/sample-sites.ts';

/** Compares short commands with a Node process that does nothing. */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  using folder = temporaryFolder();
  await using service = await startServer([fastService], {
    logPath: join(folder.path, 'service.log'),
  });
  const list = join(folder.path, 'list.csv');
  await writeList(list, 10);
  tell('starting and ending, again and again');
  const rounds = await takeTurns(isSmall ? 5 : 15, {
    node: () => measureProcess(['-e', '0']),
    help: () => measureProcess([dossierMain, '--help']),
    tenRows: () => dossierRun(service.url, list, freshPaths(folder.path), ['--rate', 'none']),
  });
  const against = (side: 'help' | 'tenRows') =>
    compare(
      rounds.map((round) => ({ measured: round[side], ceiling: round.node })),
      ({ seconds }) => 1 / seconds,
    );
  return [
    { name: 'dossier --help, against node -e 0', unit: 'starts/s', ...against('help') },
    { name: 'dossier run on ten rows, against node -e 0', unit: 'runs/s', ...against('tenRows') },
  ];
}
