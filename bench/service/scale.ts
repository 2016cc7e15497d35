import { join } from 'node:path';
import type { BenchOptions, Figure } from '../harness/bench.ts';
import { generateLoad } from '../harness/generate-load.ts';
import { compare, interleave, percentile, type Round } from '../harness/rounds.ts';
import { startServer } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { lookupPaths, planLookup, shuffled } from './company-lookups.ts';
import { benchKey, dossierMain, type Load, loadStore } from './dossier-command.ts';
import { bodyOf, manyCompany, writeManyCompanies } from './many-companies.ts';

/** Compares lookups in a large store with those in a small one, by median and 99th percentile. */
export async function measureScale({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  using folder = temporaryFolder();
  const lookups = 100;
  const slices = isSmall ? 12 : 60;
  const prepare = async (count: number) => {
    const file = join(folder.path, `${count}.jsonl`);
    const store = join(folder.path, `${count}.db`);
    await writeManyCompanies(file, count);
    const load = await loadStore(file, store);
    tell(describeLoad(load));
    const server = await startServer([dossierMain, 'serve', '--port', '0', '--store', store], {
      logPath: join(folder.path, `${count}.log`),
      env: { DOSSIER_SERVICE_KEYS: benchKey },
    });
    return { load, server, paths: planLookups(count, lookups * slices) };
  };
  const small = await prepare(isSmall ? 1_000 : 10_000);
  await using _small = small.server;
  const large = await prepare(isSmall ? 20_000 : 1_000_000);
  await using _large = large.server;

  tell(`${lookups * slices} lookups for each side and round, one at a time`);
  let from = 0;
  let round = 0;
  const measure = async ({ server, paths }: typeof small) => {
    // The service caches recent answers; an address that is new each time makes it read the store.
    const part = paths
      .slice(from, from + lookups)
      .map(({ path, bodyBytes }) => planLookup(`${path}&round=${round}`, bodyBytes, benchKey));
    return (await generateLoad(server.url, part, { connections: 1, requests: lookups }))
      .latenciesUs;
  };
  // A disturbance of some milliseconds would decide the 99th percentile of whichever side it hits,
  // so the sides change places every few milliseconds.
  const taken = await interleave((isSmall ? 5 : 9) * slices, {
    measured: () => {
      round += 1;
      from = (from + lookups) % (lookups * slices);
      return measure(large);
    },
    ceiling: () => measure(small),
  });
  const rounds = joinSlices(taken, slices);
  const sizes = `${counted(large.load.companies)} / ${counted(small.load.companies)} companies`;
  const goal = { atMost: 1.5 };
  return [
    {
      name: `latency of a lookup, ${sizes}, median`,
      unit: 'µs',
      ...compare(rounds, (latencies) => percentile(latencies, 0.5)),
      goal,
      notes: [small, large].map(({ load }) => describeLoad(load)),
    },
    {
      name: `latency of a lookup, ${sizes}, 99th percentile`,
      unit: 'µs',
      ...compare(rounds, (latencies) => percentile(latencies, 0.99)),
      goal,
    },
  ];
}

function joinSlices(taken: readonly Round<Float64Array>[], slices: number): Round<number[]>[] {
  return Array.from({ length: taken.length / slices }, (_, round) => {
    const ofRound = taken.slice(round * slices, (round + 1) * slices);
    return {
      measured: ofRound.flatMap(({ measured }) => [...measured]),
      ceiling: ofRound.flatMap(({ ceiling }) => [...ceiling]),
    };
  });
}

/** Lookups of companies from all over the store, each in all six ways, shuffled. */
function planLookups(companies: number, lookups: number): { path: string; bodyBytes: number }[] {
  const asked = Math.min(companies, Math.ceil(lookups / 6));
  const step = companies / asked;
  const planned = Array.from({ length: asked }, (_, index) => {
    const n = Math.floor(index * step);
    const bodyBytes = Buffer.byteLength(bodyOf(n));
    return lookupPaths(manyCompany(n)).map((path) => ({ path, bodyBytes }));
  });
  return shuffled(planned.flat());
}

function describeLoad({ companies, seconds, peakMiB }: Load): string {
  const { firstHalf, secondHalf } = peakMiB;
  const rate = counted(Math.round(companies / seconds));
  return `loaded ${counted(companies)} in ${seconds.toFixed(1)} s, ${rate} rows/s; memory at most ${Math.round(firstHalf)} MiB in the first half, ${Math.round(secondHalf)} MiB in the second`;
}

function counted(number: number): string {
  return number.toLocaleString('en');
}
