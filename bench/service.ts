import type { BenchOptions, Figure } from './harness/bench.ts';
import { measureLookups } from './service/lookups.ts';
import { measureScale } from './service/scale.ts';

/** The Company Data Service: how fast it answers, and how its speed holds when the store grows. */
export async function run(options: BenchOptions): Promise<Figure[]> {
  return [...(await measureLookups(options)), ...(await measureScale(options))];
}
