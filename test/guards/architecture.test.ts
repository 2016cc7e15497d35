import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../../src');

/** In the order of docs/architecture.md: a file imports from its own folder and from those before it. */
const rooms = [
  'core',
  'platform',
  'engine/providers',
  'job',
  'lists',
  'register',
  'engine',
  'results',
  'run',
  'facts',
  'integrations',
  'service',
  'ui',
  'cli',
  'main',
];
/** Loaded only for users who need them, so only commands import them. */
const optionalRooms = ['integrations', 'service'];
/** Order of the folders inside a room. The client knows neither ledger nor queue. */
const inside: Record<string, readonly (readonly string[])[]> = {
  core: [['contract', 'errors', 'values'], ['names'], ['identify'], ['rules'], ['columns']],
  engine: [['client', 'ledger'], ['queue'], ['runs']],
};

/** The only folders that may import an outside package, so that replacing one touches one folder. */
const doors: Record<string, readonly string[]> = {
  // The sockets are those of the service and of lists at an address.
  undici: ['engine/client', 'platform'],
  bottleneck: ['engine/client'],
  '@aws-sdk/client-s3': ['platform/objects'],
  bullmq: ['integrations/share'],
  ioredis: ['integrations/share'],
  'better-sqlite3': ['platform', 'engine/ledger', 'register', 'service', 'ui/workbench'],
  'csv-parse': ['lists'],
  saxes: ['lists'],
  yauzl: ['lists'],
  'csv-stringify': ['results'],
  hyparquet: ['lists'],
  'hyparquet-writer': ['results'],
  pg: ['results/destinations/postgres'],
  'pg-copy-streams': ['results/destinations/postgres'],
  yargs: ['cli'],
  fastify: ['service', 'ui/workbench'],
  tldts: ['core/identify'],
  'email-providers': ['core/identify'],
  'i18n-iso-countries': ['core/identify'],
  // Jobs are read with it, and a source of dbt is written.
  yaml: ['job', 'results'],
  pino: ['platform'],
  'prom-client': ['integrations/metrics'],
  preact: ['ui/pages'],
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
  test.each(chosen)('%s, which users chose, is in use', (name) => {
    const importers = files.filter((file) => importsOf(file).some((one) => isOf(one, name)));
    expect(importers).not.toEqual([]);
  });

  test.each(files)('%s imports only what its folder may', (file) => {
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('.')) {
        const target = relative(src, resolve(src, dirname(file), specifier));
        // Files outside src/, such as package.json, are data.
        if (target.startsWith('..')) continue;
        expect(mayImport(file, target), `${file} imports ${specifier}`).toBe(true);
      } else {
        const door = doors[packageOf(specifier)];
        const isOpen = !door || door.some((folder) => file.startsWith(`${folder}/`));
        expect(isOpen, `${file} imports ${specifier}`).toBe(true);
      }
    }
  });

  test.each(['results', 'run'])(
    '%s cannot reach the client, so it makes no call itself',
    (room) => {
      const reached = new Set(files.filter((file) => roomOf(file) === room));
      for (const file of reached) for (const target of valuesOf(file)) reached.add(target);
      expect([...reached].filter((file) => file.startsWith('engine/client/'))).toEqual([]);
      expect([...reached].some((file) => file.startsWith('engine/ledger/'))).toBe(true);
    },
  );

  test('core touches neither disk nor network', () => {
    const pure = files.filter((file) => roomOf(file) === 'core');
    const outside = pure
      .flatMap(importsOf)
      .filter((name) => /^node:(?!crypto|url|zlib)/.test(name));
    expect([...new Set(outside)]).toEqual([]);
  });

  test('every folder of src has its place in it', () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual([...rooms].sort());
    for (const [room, order] of Object.entries(inside)) {
      const found = files.filter((file) => roomOf(file) === room && file.split('/').length > 2);
      expect([...new Set(found.map(folderOf))].sort()).toEqual(order.flat().sort());
    }
  });
});

function mayImport(file: string, target: string): boolean {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === to) {
    const order = inside[from] ?? [];
    const levelOf = (path: string) =>
      order.findIndex((folders) => folders.includes(folderOf(path)));
    return folderOf(file) === folderOf(target) || levelOf(target) < levelOf(file) || !order.length;
  }
  if (optionalRooms.includes(to)) return from === 'cli' || from === 'main';
  return rooms.includes(to) && rooms.indexOf(to) < rooms.indexOf(from);
}

describe('the pages, which run in a browser', () => {
  const pages = files.filter((file) => file.startsWith('ui/pages/'));
  const written = [
    'core/contract/identifier-kinds.ts',
    'core/identify/clean-cell.ts',
    'core/values/duration.ts',
    'core/values/format.ts',
    'core/values/printable.ts',
    'core/values/money.ts',
  ];

  test.each(pages)(
    '%s takes only types, words and the writing of values from elsewhere',
    (file) => {
      const others = valuesOf(file).filter(
        (target) => !/^ui\/(pages|words)\//.test(target) && !written.includes(target),
      );
      expect(others).toEqual([]);
    },
  );

  test('their server takes nothing from them', () => {
    const server = files.filter((file) => /^ui\/(workbench|report|words)\//.test(file));
    expect(server).not.toEqual([]);
    for (const file of server) {
      expect(valuesOf(file).filter((target) => target.startsWith('ui/pages/'))).toEqual([]);
    }
  });

  test('the report shows views of the workbench, and what they share knows neither', () => {
    const known: Record<string, readonly string[]> = { report: ['workbench'] };
    const pageOf = (file: string) => file.split('/')[2];
    for (const file of pages) {
      const targets = targetsIn(file, textOf(file)).filter((target) =>
        target.startsWith('ui/pages/'),
      );
      const page = pageOf(file) ?? '';
      for (const target of targets) {
        expect(['parts', page, ...(known[page] ?? [])], file).toContain(pageOf(target));
      }
    }
  });
});

/** `service/open-store.ts → service`, `main.ts → main` */
function roomOf(file: string): string {
  return rooms.find((room) => file.startsWith(room) && /[./]/.test(file[room.length] ?? '')) ?? '';
}

/** `core/rules/outcomes.ts → rules`, `core/errors.ts → errors` */
function folderOf(file: string): string {
  return file.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}

/** `@scope/name/deep → @scope/name`, `csv-parse/sync → csv-parse` */
function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}

function importsOf(file: string): string[] {
  return importsIn(textOf(file));
}

/** Files whose code a file uses, and not only their types. */
function valuesOf(file: string): string[] {
  if (!files.includes(file)) return [];
  return targetsIn(file, textOf(file).replaceAll(/^import type [^;]+;$/gm, ''));
}

function targetsIn(file: string, text: string): string[] {
  return importsIn(text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(src, resolve(src, dirname(file), specifier)));
}

function importsIn(text: string): string[] {
  const pattern = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)['"]([^'"]+)['"]/gm;
  return [...text.matchAll(pattern)].map(([, specifier]) => specifier ?? '');
}

describe('how little the rooms show of each other', () => {
  test('run asks the queue, and hardly ever the ledger', () => {
    const imports = files
      .filter((file) => roomOf(file) === 'run')
      .flatMap((file) => targetsIn(file, textOf(file)))
      .filter((target) => target.startsWith('engine/ledger/'));
    expect(imports.length).toBeGreaterThan(0);
    expect(new Set(imports).size, 'files of the ledger that run knows').toBeLessThanOrEqual(8);
  });

  test('threads speak one protocol, and one file each decides whether a snapshot, a result, a run, a list or a table of the workbench has any', () => {
    const speaking = files.filter((file) => textOf(file).includes('worker_threads'));
    expect(speaking.map((file) => basename(file))).toEqual(['serve-thread.ts', 'thread.ts']);
    const opening = files.filter((file) => textOf(file).includes('openThread()'));
    expect(opening.filter((file) => !speaking.includes(file))).toEqual([
      'integrations/snapshot/copy-ledger.ts',
      'results/destinations/folder/prepare-export.ts',
      'run/run-job.ts',
      'ui/workbench/lists/look-at-list.ts',
      'ui/workbench/rows/serve-tables.ts',
    ]);
  });

  test('only the list of destinations knows every kind of them', () => {
    const inKinds = /^results\/destinations\/(folder|s3|postgres)\//;
    const users = files.filter((file) =>
      targetsIn(file, textOf(file)).some((target) =>
        /\/(folder|s3|postgres)\/\1\.ts$/.test(target),
      ),
    );
    expect(users).toEqual(['results/destinations/create-destination.ts']);
    const comparing = files.filter(
      (file) => !inKinds.test(file) && /kind [!=]== '(folder|s3|postgres)'/.test(textOf(file)),
    );
    expect(comparing).toEqual(['job/resolve-destinations.ts']);
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
