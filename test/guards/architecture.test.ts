import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../../src');

/** Which folder of src/ may import which; the table in docs/architecture.md says the same. */
const foundation = ['errors', 'contract'];
const belowRun = [
  ...foundation,
  ...['runtime', 'identify', 'job', 'input', 'ledger', 'rules', 'queue', 'records', 'sinks'],
];
const mayImport: Record<string, readonly string[]> = {
  errors: [],
  contract: [],
  runtime: foundation,
  identify: foundation,
  job: [...foundation, 'runtime', 'identify'],
  input: [...foundation, 'runtime', 'identify'],
  client: [...foundation, 'runtime'],
  ledger: [...foundation, 'runtime', 'identify', 'rules'],
  rules: [...foundation, 'runtime', 'identify'],
  queue: [...foundation, 'runtime', 'ledger', 'rules'],
  records: [...foundation, 'runtime', 'ledger'],
  sinks: [...foundation, 'runtime', 'rules', 'ledger', 'records'],
  report: [...foundation, 'runtime', 'identify', 'job', 'rules', 'ledger', 'records', 'sinks'],
  service: [...foundation, 'runtime', 'identify'],
  run: belowRun,
  metrics: [...foundation, 'runtime', 'rules', 'client', 'run'],
  cli: [...belowRun, 'client', 'service', 'report', 'run', 'metrics'],
  main: [...belowRun, 'client', 'service', 'report', 'run', 'metrics', 'cli'],
};

/** Each outside package has one door, so that replacing one touches one folder. */
const doors: Record<string, readonly string[]> = {
  undici: ['client'],
  bottleneck: ['client'],
  'better-sqlite3': ['ledger', 'service'],
  'csv-parse': ['input'],
  'csv-stringify': ['sinks'],
  hucre: ['input'],
  'hyparquet-writer': ['sinks'],
  yargs: ['cli'],
  fastify: ['service'],
  tldts: ['identify'],
  'email-providers': ['identify'],
  'i18n-iso-countries': ['identify'],
  yaml: ['job'],
  pino: ['runtime'],
  'prom-client': ['metrics'],
  '@opentelemetry/sdk-metrics': ['metrics'],
  '@opentelemetry/resources': ['metrics'],
  '@opentelemetry/exporter-metrics-otlp-http': ['metrics'],
  preact: ['report'],
  uplot: ['report'],
};

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .sort();

describe('the import table', () => {
  test('sees the sources at all', () => {
    expect(files.length).toBeGreaterThan(10);
    expect(files).toContain('main.ts');
  });

  test.each(files)('%s imports only what its folder may', (file) => {
    const from = roomOf(file);
    const allowed = mayImport[from];
    expect(allowed, `src/${from} is missing from the import table`).toBeDefined();
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('.')) {
        const target = relative(src, resolve(src, dirname(file), specifier));
        // package.json and the like are data, not rooms of the house.
        if (target.startsWith('..')) continue;
        const to = roomOf(target);
        if (to !== from) expect(allowed, `${file} imports ${specifier}`).toContain(to);
      } else {
        const door = doors[packageOf(specifier)];
        if (door) expect(door, `${file} imports ${specifier}`).toContain(from);
      }
    }
  });

  test.each(Object.keys(doors))('the door of %s leads to a room that exists', (name) => {
    for (const room of doors[name] ?? []) expect(Object.keys(mayImport)).toContain(room);
  });
});

/** `service/open-store.ts → service`, `main.ts → main` */
function roomOf(file: string): string {
  return file.split('/')[0]?.replace(/\.ts$/, '') ?? '';
}

/** `@scope/name/deep → @scope/name`, `csv-parse/sync → csv-parse` */
function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  const pattern = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)['"]([^'"]+)['"]/gm;
  return [...text.matchAll(pattern)].map(([, specifier]) => specifier ?? '');
}
