import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { compare, interleave } from './harness/rounds.ts';
import { startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { bareLoop, freshPaths, stepsOfARun } from './run/compared-programs.ts';
import { fastService } from './run/fast-service-path.ts';
import { writeList } from './run/sample-sites.ts';

const searches = 4;
const pages = 3;

/** Runs a job with four people searches for each company, of three pages each. */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  const companies = isSmall ? 200 : 2_000;
  const calls = companies * (1 + searches * pages);
  using folder = temporaryFolder();
  await using service = await startServer([fastService], {
    logPath: join(folder.path, 'service.log'),
  });
  await writeList(join(folder.path, 'list.csv'), companies);
  const job = join(folder.path, 'people.yaml');
  writeFileSync(job, jobText);
  tell(`${companies} companies, ${calls} calls, again and again`);
  const rounds = await interleave(isSmall ? 2 : 5, {
    measured: async () => {
      const steps = await stepsOfARun(service.url, job, freshPaths(folder.path));
      if (steps.calls !== calls) throw new Error(`${steps.calls} calls instead of ${calls}`);
      return steps.calling;
    },
    ceiling: () => bareLoop(service.url, calls),
  });
  return [
    {
      name: 'people: pages settled durably, against a bare undici loop over as many lookups',
      unit: 'calls/s',
      ...compare(rounds, ({ seconds }) => calls / seconds),
    },
  ];
}

const jobText = `
name: people
input: { path: list.csv }
people: { seniority: [1, 2, 3, 4], pageSize: 25, maxPerCompany: 1000 }
`;
