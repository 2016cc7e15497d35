import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../../src');

/** Which folder of src/ may import which, as in the table of docs/architecture.md. */
const foundation = ['errors', 'contract'];
const belowRun = [
  ...foundation,
  ...[
    'runtime',
    'identify',
    'job',
    'input',
    'ledger',
    'rules',
    'queue',
    'records',
    'sinks',
    'objects',
  ],
];
const aboveRun = [
  'client',
  'share',
  'service',
  'snapshot',
  'report',
  'metrics',
  'oncall',
  'overview',
  'workbench',
];
const mayImport: Record<string, readonly string[]> = {
  errors: [],
  contract: [],
  runtime: foundation,
  identify: foundation,
  // A job names columns of the outputs, and gives the rules their terms.
  job: [...foundation, 'runtime', 'identify', 'rules', 'records'],
  input: [...foundation, 'runtime', 'identify', 'objects'],
  client: [...foundation, 'runtime'],
  objects: [...foundation, 'runtime'],
  share: [...foundation, 'runtime', 'rules', 'client'],
  ledger: [...foundation, 'runtime', 'identify', 'rules'],
  rules: [...foundation, 'runtime', 'identify'],
  queue: [...foundation, 'runtime', 'ledger', 'rules'],
  snapshot: [...foundation, 'runtime', 'ledger', 'objects'],
  records: [...foundation, 'runtime', 'ledger'],
  sinks: [...foundation, 'runtime', 'rules', 'ledger', 'records', 'objects'],
  report: [
    ...foundation,
    ...['runtime', 'identify', 'job', 'rules', 'ledger', 'records', 'sinks', 'run', 'workbench'],
  ],
  // Types only, as the test of the pages below says.
  pages: ['report', 'workbench'],
  service: [...foundation, 'runtime', 'identify'],
  run: belowRun,
  metrics: [...foundation, 'runtime', 'rules', 'client', 'records', 'run'],
  oncall: [...foundation, 'runtime', 'client', 'sinks'],
  overview: [...belowRun, 'report', 'run'],
  workbench: [...belowRun, 'report', 'run', 'overview'],
  cli: [...aboveRun, 'run', ...belowRun],
  main: [...aboveRun, 'run', ...belowRun, 'cli'],
};

/** The only folders that may import an outside package, so that replacing one touches one folder. */
const doors: Record<string, readonly string[]> = {
  // The sockets are those of the service and of lists at an address.
  undici: ['client', 'runtime'],
  bottleneck: ['client'],
  '@aws-sdk/client-s3': ['objects'],
  bullmq: ['share'],
  ioredis: ['share'],
  'better-sqlite3': ['ledger', 'service', 'workbench'],
  'csv-parse': ['input'],
  'csv-stringify': ['sinks'],
  hyparquet: ['input'],
  'hyparquet-writer': ['sinks'],
  pg: ['sinks'],
  'pg-copy-streams': ['sinks'],
  yargs: ['cli'],
  fastify: ['service', 'workbench'],
  tldts: ['identify'],
  'email-providers': ['identify'],
  'i18n-iso-countries': ['identify'],
  // Jobs are read with it, and a source of dbt is written.
  yaml: ['job', 'sinks'],
  pino: ['runtime'],
  'prom-client': ['metrics'],
  '@opentelemetry/sdk-metrics': ['metrics'],
  '@opentelemetry/resources': ['metrics'],
  '@opentelemetry/exporter-metrics-otlp-http': ['metrics'],
  preact: ['pages'],
};

/** They do what they are for: no code of ours takes their place. */
const chosen = ['csv-parse', 'csv-stringify', 'p-limit', 'bottleneck', 'undici', 'zod'].concat([
  'better-sqlite3',
  'yargs',
]);
const isOf = (specifier: string, name: string) =>
  specifier === name || specifier.startsWith(`${name}/`);

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .sort();

describe('the import table', () => {
  test('sees the sources at all', () => {
    expect(files.length).toBeGreaterThan(10);
    expect(files).toContain('main.ts');
  });

  test.each(chosen)('%s, which users chose, is in use', (name) => {
    const importers = files.filter((file) => importsOf(file).some((one) => isOf(one, name)));
    expect(importers).not.toEqual([]);
  });

  test.each(files)('%s imports only what its folder may', (file) => {
    const from = roomOf(file);
    const allowed = mayImport[from];
    expect(allowed, `src/${from} is missing from the import table`).toBeDefined();
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('.')) {
        const target = relative(src, resolve(src, dirname(file), specifier));
        // Files outside src/, such as package.json, are data.
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

describe('the pages, which run in a browser', () => {
  const pages = files.filter((file) => roomOf(file) === 'pages');

  test.each(pages)('%s takes only types from other rooms', (file) => {
    const values = textOf(file).replaceAll(/^import type [^;]+;$/gm, '');
    const others = importsIn(values)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => relative(src, resolve(src, dirname(file), specifier)))
      .filter((target) => roomOf(target) !== 'pages');
    expect(others).toEqual([]);
  });

  test('the report shows views of the workbench, and what they share knows neither', () => {
    const known: Record<string, readonly string[]> = { report: ['workbench'] };
    const pageOf = (file: string) => file.split('/')[1];
    for (const file of pages) {
      const targets = importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(src, resolve(src, dirname(file), specifier)))
        .filter((target) => roomOf(target) === 'pages');
      const page = pageOf(file) ?? '';
      for (const target of targets) {
        expect(['parts', page, ...(known[page] ?? [])], file).toContain(pageOf(target));
      }
    }
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
  return importsIn(textOf(file));
}

function importsIn(text: string): string[] {
  const pattern = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)['"]([^'"]+)['"]/gm;
  return [...text.matchAll(pattern)].map(([, specifier]) => specifier ?? '');
}

describe('how little the rooms show of each other', () => {
  test('run asks the queue, and hardly ever the ledger', () => {
    const imports = files
      .filter((file) => roomOf(file) === 'run')
      .flatMap((file) => importsOf(file).map((specifier) => resolve(src, dirname(file), specifier)))
      .filter((target) => roomOf(relative(src, target)) === 'ledger');
    expect(imports.length).toBeGreaterThan(0);
    expect(new Set(imports).size, 'files of the ledger that run knows').toBeLessThanOrEqual(7);
  });

  test('the queue of a run has few verbs', () => {
    const text = readFileSync(join(src, 'queue/run-queue.ts'), 'utf8');
    const [, body = ''] =
      /interface RunQueue extends AsyncDisposable \{(.*?)\n\}/s.exec(text) ?? [];
    const verbs = [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, verb]) => verb);
    expect(verbs).toContain('exchange');
    // Disposing closes it.
    expect(verbs.length + 1).toBeLessThanOrEqual(8);
  });

  test('threads speak one protocol, and one file each decides whether a run, a snapshot, a list or a table of the workbench has any', () => {
    const speaking = files.filter((file) => textOf(file).includes('worker_threads'));
    expect(speaking.map((file) => basename(file))).toEqual(['serve-thread.ts', 'thread.ts']);
    const opening = files.filter((file) => textOf(file).includes('openThread()'));
    expect(opening.filter((file) => !speaking.includes(file))).toEqual([
      'run/run-job.ts',
      'snapshot/copy-ledger.ts',
      'workbench/rows/table-desk.ts',
    ]);
  });

  test('no folder is a heap of files', () => {
    const inFolders = Map.groupBy(files, dirname);
    const heaps = [...inFolders].filter(([, inside]) => inside.length > 30).map(([name]) => name);
    expect(heaps).toEqual([]);
  });
});

function textOf(file: string): string {
  return readFileSync(join(src, file), 'utf8');
}
