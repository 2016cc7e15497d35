import { join } from 'node:path';
import type { BenchOptions } from '../harness/bench.ts';
import { fastService } from '../harness/programs.ts';
import { startServer } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { writeList } from './sample-sites.ts';

/** What most benches of runs need: a list of distinct sites and the fast service. */
export interface BenchSetup extends AsyncDisposable {
  readonly rows: number;
  readonly url: string;
  readonly list: string;
  readonly folder: string;
}

export async function openBenchSetup(options: BenchOptions): Promise<BenchSetup> {
  const { rows = options.isSmall ? 5_000 : 100_000 } = options;
  const folder = temporaryFolder();
  const service = await startServer([fastService], { logPath: join(folder.path, 'service.log') });
  const list = join(folder.path, 'list.csv');
  await writeList(list, rows);
  return {
    rows,
    url: service.url,
    list,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      await service.stop();
      folder[Symbol.dispose]();
    },
  };
}
