import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type Bench, type Figure, isReached } from './harness/bench.ts';
import { renderTable } from './harness/table.ts';

/** A bench is a module that exports `run`; it is loaded only when it is asked for. */
const benches: Record<string, () => Promise<Bench>> = {
  identify: () => import('./identify.ts'),
  service: () => import('./service.ts'),
  calls: () => import('./calls.ts'),
  'end-to-end': () => import('./end-to-end.ts'),
  'at-hand': () => import('./at-hand.ts'),
  run: () => import('./run.ts'),
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { small: { type: 'boolean', default: false }, json: { type: 'string' } },
});
const names = positionals.length > 0 ? positionals : Object.keys(benches);
const figures: Record<string, Figure[]> = {};
for (const name of names) {
  const load = benches[name];
  if (load === undefined) {
    process.stderr.write(`No bench ${name}; there are: ${Object.keys(benches).join(', ')}\n`);
    process.exit(64);
  }
  const { run } = await load();
  const tell = (text: string) => void process.stderr.write(`${name}: ${text}\n`);
  figures[name] = await run({ isSmall: options.small, tell });
  process.stdout.write(renderTable(figures[name]));
}

if (options.json !== undefined) {
  const machine = {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model,
  };
  const report = { at: new Date().toISOString(), isSmall: options.small, machine, figures };
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}
// A missed goal fails the command, so that a script need not read the table. A small run is too
// short to judge by: it fails only where a bench itself breaks.
if (!options.small && !Object.values(figures).flat().every(isReached)) process.exitCode = 1;
