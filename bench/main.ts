import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bench, type Figure, hasCollapsed, isReached } from './harness/bench.ts';
import { renderTable } from './harness/table.ts';

/** All benches by name. A bench is loaded only when it runs. */
const benches: Record<string, () => Promise<Bench>> = {
  service: () => import('./service.ts'),
  calls: () => import('./calls.ts'),
  'end-to-end': () => import('./end-to-end.ts'),
  'cache-hits': () => import('./cache-hits.ts'),
  nights: () => import('./nights.ts'),
  start: () => import('./start.ts'),
  workbench: () => import('./workbench.ts'),
  names: () => import('./names.ts'),
};

/** The ratios of an earlier small run, by the name of the figure. */
const baselinePath = join(import.meta.dirname, 'baseline.json');

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    small: { type: 'boolean', default: false },
    rows: { type: 'string' },
    json: { type: 'string' },
    against: { type: 'string' },
    rounds: { type: 'string' },
    check: { type: 'boolean', default: false },
    'write-baseline': { type: 'boolean', default: false },
  },
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
  figures[name] = await run({
    isSmall: options.small,
    against: options.against,
    rows: numberOf(options.rows),
    rounds: numberOf(options.rounds),
    tell,
  });
  process.stdout.write(renderTable(figures[name]));
}
const all = Object.values(figures).flat();

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
if (options['write-baseline']) {
  const kept = { ...readBaseline(), ...Object.fromEntries(all.map(toRatio)) };
  writeFileSync(baselinePath, `${JSON.stringify(kept, null, 2)}\n`);
}
// A missed goal fails the command, so that scripts can see it. A small run is too short to judge:
// it fails only when a bench throws or, with --check, when all rounds have fallen by more than half.
if (options.check) reportCollapses();
else if (!options.small && !all.every(isReached)) process.exitCode = 1;

function reportCollapses(): void {
  const baseline = readBaseline();
  for (const figure of all) {
    const before = baseline[figure.name];
    if (before === undefined || !hasCollapsed(figure, before)) continue;
    const { low, high } = figure.spread;
    process.stderr.write(
      `${figure.name}: ${low.toFixed(2)} to ${high.toFixed(2)}, it was ${before}\n`,
    );
    process.exitCode = 1;
  }
}

function numberOf(text: string | undefined) {
  return text === undefined ? undefined : Number(text);
}

function readBaseline(): Record<string, number> {
  return JSON.parse(readFileSync(baselinePath, 'utf8')) as Record<string, number>;
}

function toRatio({ name, ratio }: Figure): [string, number] {
  return [name, Number(ratio.toPrecision(2))];
}
