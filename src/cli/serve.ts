import { existsSync } from 'node:fs';
import { DossierError } from '../core/errors.ts';
import { listed } from '../core/values/format.ts';
import { createLog } from '../platform/log.ts';
import { packageVersion } from '../platform/package-path.ts';
import { untilSignal } from '../platform/shutdown.ts';
import { serviceKeys, startService } from '../service/build-service.ts';
import { loadFiles, openSampleStore } from '../service/load-files.ts';
import { openStore } from '../service/open-store.ts';
import { followRegister, reconcileSecret } from '../service/reconcile.ts';
import { command } from './parts/command.ts';
import { flag, logFormat, or, path, text, texts, usage, wholeNumber } from './parts/options.ts';
import { factsText } from './terminal/text.ts';

const defaultStore = 'output/store.db';

export const serve = command({
  options: {
    store: path(
      'SQLite file filled by `load` (default: output/store.db; if that is missing, the sample data)',
    ),
    host: or('127.0.0.1', text('Address to bind')),
    port: or(8787, wholeNumber('Port to bind; 0 picks a free one', [0, 65_535])),
    key: texts(
      'Key to accept; may be repeated. Other users of the machine can see it; prefer --key-file',
    ),
    keyFile: texts(
      'File of keys to accept, one per line; DOSSIER_SERVICE_KEYS can contain further keys',
    ),
    register: path(
      'Register of company names to serve under /reconcile, for OpenRefine (docs/names.md)',
    ),
    rate: wholeNumber(
      'Requests per second for each key; further requests get HTTP 429',
      [1, 1_000_000],
    ),
    logFormat,
  },
  examples: {
    '$0 serve': 'serve the sample data on http://127.0.0.1:8787 with a generated key',
    '$0 serve --register register.db': 'also match company names for OpenRefine',
    '$0 serve --port 0 --rate 50': 'use a free port and allow 50 requests a second',
  },
  async facts({ host, port, rate, ...args }, { print }) {
    const { keys, madeKey } = serviceKeys({
      keys: args.key ?? [],
      keyFiles: args.keyFile ?? [],
      environment: process.env.DOSSIER_SERVICE_KEYS,
      host,
    });
    const log = createLog({ format: args.logFormat, isBuffered: true });
    if (args.store !== undefined && !existsSync(args.store)) {
      throw usage(`there is no store at ${args.store}; fill one with \`dossier load\``);
    }
    const chosen = args.store ?? (existsSync(defaultStore) ? defaultStore : undefined);
    using store = chosen === undefined ? await openSampleStore() : openStore(chosen);
    using names = args.register === undefined ? undefined : followRegister(args.register);
    const version = packageVersion();
    const served = { store, register: names?.current, keys, rate, log, version };
    const service = await startService({ ...served, host, port });
    const { url } = service;
    print(`DOSSIER_URL=${url}\n${madeKey ? `DOSSIER_API_KEY=${madeKey}\n` : ''}`);
    if (names) {
      for (const key of keys) print(`RECONCILE_URL=${url}/reconcile/${reconcileSecret(key)}\n`);
    }
    log.info({ url, store: chosen ?? 'sample data', ...store.counts() }, 'service.started');
    const signal = await untilSignal();
    log.info({ signal }, 'service.stopping');
    await service.stop();
    log.info('service.stopped');
  },
});

const badLinesShown = 20;

export const load = command({
  options: {
    files: {
      describe: 'JSONL files, plain, .gz or .zst; - is standard input',
      read: (given) => given as string[],
    },
    store: or(defaultStore, path('SQLite file to fill; created if missing')),
    strict: flag('Stop at the first bad line'),
  },
  examples: {
    '$0 load fixtures/sample/companies.jsonl fixtures/sample/people.jsonl': 'fill output/store.db',
    'zstdcat dump.zst | $0 load - --store big.db': 'load from a pipe',
  },
  jsonHelp: 'Print {store, companies, people, badLines, seconds} at the end',
  async facts({ files = [], store: file, strict }, { note, progress }) {
    if (files.length === 0) throw usage('load needs at least one file');
    const startedAt = performance.now();
    using store = openStore(file);
    const bad: string[] = [];
    const { companies, people, badLines } = await loadFiles(store, files, {
      isStrict: strict,
      onBadLine({ file: name, number, problem }) {
        if (bad.length < badLinesShown) bad.push(`${name}:${number}: ${problem}`);
      },
      onProgress: ({ share, ...loaded }) => progress.show(() => listed({ ...loaded }), share),
    });
    if (companies + people === 0 && badLines > 0) {
      throw new DossierError(
        'INPUT_INVALID',
        `no line could be loaded; the first error: ${bad[0]}`,
      );
    }
    const seconds = Math.round(performance.now() - startedAt) / 1_000;
    note(...bad);
    if (badLines > bad.length) note(`… and ${badLines - bad.length} more bad lines`);
    return { store: file, companies, people, badLines, seconds };
  },
  text: factsText,
});
