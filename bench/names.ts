import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { measureProcess } from './harness/measured-process.ts';
import { dossierMain } from './harness/programs.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { measureAccuracy } from './names/accuracy.ts';
import { writeListOfNames } from './names/list-of-names.ts';
import { measureSpeed } from './names/speed.ts';
import { writeBulkZip } from './names/write-bulk-zip.ts';

const wrongShown = 12;

/** How often a name finds the right company, and what the register costs. */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  const [records, entities, questions, names] = isSmall
    ? [50_000, 10_000, 500, 2_000]
    : [1_000_000, 100_000, 2_000, 20_000];
  using folder = temporaryFolder();
  tell(`matching ${questions} names against ${entities} entities`);
  const { counts, wrong } = await measureAccuracy(folder.path, entities, questions);
  const sum = (field: 'asked' | 'right' | 'wrong' | 'suggested', inRegister = false) =>
    [...counts].reduce(
      (total, [kind, count]) =>
        total + (inRegister && kind.startsWith('not in') ? 0 : count[field]),
      0,
    );
  const accepted = sum('right') + sum('wrong');

  tell(`writing and loading ${records} records`);
  const zip = join(folder.path, 'public_split_1_10.zip');
  const register = join(folder.path, 'register.db');
  const plainBytes = await writeBulkZip(zip, records);
  const args = [dossierMain, 'register', 'load', zip, '--register', register, '--json'];
  const loaded = await measureProcess(args);
  const { loaded: parts } = JSON.parse(loaded.stdout) as { loaded: { names: number }[] };
  const loadedNames = parts[0]?.names ?? 0;
  tell('asking for names');
  const speed = measureSpeed(register, records, names, Math.ceil(names / 20));
  const rows = records / 10;
  tell(`planning a list of ${rows} names`);
  const list = join(folder.path, 'names.csv');
  await writeListOfNames(list, records, rows);
  const plan = ['plan', list, '--register', register, '--ledger', join(folder.path, 'ledger.db')];
  const planned = await measureProcess([dossierMain, ...plan, '--url', 'embedded']);
  const perRecords = records / 1_000_000;
  return [
    against('names accepted, share that is right', '%', (100 * sum('right')) / accepted, 99.5, {
      notes: [
        ...[...counts].map(([kind, count]) => `${kind}: ${JSON.stringify(count)}`),
        ...wrong.slice(0, wrongShown).map((one) => `wrong: ${JSON.stringify(one)}`),
      ],
    }),
    against(
      'names of the register that are accepted right or among three suggestions',
      '%',
      (100 * (sum('right', true) + sum('suggested', true))) / sum('asked', true),
      85,
    ),
    against(`load ${records} records`, 's of CPU', loaded.cpuSeconds, 60 * perRecords, {
      isMost: true,
      notes: [
        `${Math.round(plainBytes / 1e6)} MB of XML, ${loaded.seconds.toFixed(0)} s of wall time`,
      ],
    }),
    against('load: peak memory', 'MiB', loaded.peakMiB, 250, { isMost: true }),
    against('register', 'bytes a name', statSync(register).size / loadedNames, 300, {
      isMost: true,
    }),
    against('exact names', 'names/s of CPU', speed.exact, 20_000),
    against('close names', 'names/s of CPU', speed.close, 300),
    against(`plan of ${rows} names`, 's of CPU', planned.cpuSeconds, 20 * perRecords, {
      isMost: true,
      notes: planned.stdout.split('\n').filter((line) => line.startsWith('Names in the register')),
    }),
  ];
}

/** The goal is fixed, so it takes the place of a measured ceiling. */
function against(
  name: string,
  unit: string,
  figure: number,
  goal: number,
  { isMost = false, notes = [] as string[] } = {},
): Figure {
  const ratio = figure / goal;
  return {
    ...{ name: `${name}, against the goal`, unit, figure, ceiling: goal, ratio, rounds: 1, notes },
    spread: { low: ratio, high: ratio },
    goal: isMost ? { atMost: 1 } : { atLeast: 1 },
  };
}
