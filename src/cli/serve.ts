import { existsSync } from 'node:fs';
import type { CommandModule } from 'yargs';
import { DossierError } from '../errors.ts';
import { packageVersion } from '../runtime/package-path.ts';
import { untilSignal } from '../runtime/shutdown.ts';
import type { Store } from '../service/open-store.ts';
import {
  defaultStorePath,
  logFormat,
  severalTexts,
  singlePath,
  singleText,
  wholeNumber,
} from './options/option-values.ts';
import { type FaultArguments, faultOptions } from './serve/fault-options.ts';

interface ServeArguments extends FaultArguments {
  store: string | undefined;
  host: string;
  port: number;
  key: string[] | undefined;
  'key-file': string[] | undefined;
  rate: number | undefined;
  'log-format': 'text' | 'json';
}

export const serveCommand: CommandModule<object, ServeArguments> = {
  command: 'serve',
  describe: 'Serve the Company Data Service from a store',
  builder: (args) =>
    args
      .option('store', {
        requiresArg: true,
        coerce: singlePath('store'),
        describe: `SQLite file that \`load\` filled (default: ${defaultStorePath} if it is there, else the sample data)`,
      })
      .option('host', {
        requiresArg: true,
        coerce: singleText('host'),
        default: '127.0.0.1',
        describe: 'Address to bind',
      })
      .option('port', {
        requiresArg: true,
        coerce: wholeNumber('port', { min: 0, max: 65_535 }),
        default: 8787,
        describe: 'Port to bind; 0 takes a free one',
      })
      .option('key', {
        requiresArg: true,
        coerce: severalTexts('key'),
        describe:
          'Key to accept, may be repeated; other users of this machine can see it, so prefer --key-file',
      })
      .option('key-file', {
        requiresArg: true,
        coerce: severalTexts('key-file'),
        describe: 'File of keys to accept, one a line; also DOSSIER_SERVICE_KEYS',
      })
      .option('rate', {
        requiresArg: true,
        coerce: wholeNumber('rate', { min: 1, max: 1_000_000 }),
        describe: 'Requests a second that each key may make; more get 429',
      })
      .option('log-format', logFormat)
      .options(faultOptions)
      .example('$0 serve', 'the sample data on http://127.0.0.1:8787, with a key made up')
      .example('$0 serve --port 0 --rate 50', 'a free port, at most 50 requests a second')
      .example('$0 serve --fault-errors 0.1 --fault-latency 20-80', 'a service with bad days'),
  handler: async (args) => {
    const { readFaults } = await import('./serve/read-faults.ts');
    const { openLog } = await import('../runtime/log/log.ts');
    const { startService } = await import('../service/build-service.ts');
    const { serviceKeys } = await import('../service/service-keys.ts');

    const faults = readFaults(args);
    const { keys, madeKey } = serviceKeys({
      keys: args.key ?? [],
      keyFiles: args.keyFile ?? [],
      environment: process.env.DOSSIER_SERVICE_KEYS,
      host: args.host,
    });
    const log = openLog({ format: args.logFormat, isBuffered: true });
    const { name, store } = await openChosenStore(args.store);
    using _closed = store;
    const service = await startService({
      host: args.host,
      port: args.port,
      store,
      keys,
      rate: args.rate,
      faults,
      log,
      version: packageVersion(),
    });
    const { url } = service;
    process.stdout.write(`DOSSIER_URL=${url}\n`);
    if (madeKey) process.stdout.write(`DOSSIER_API_KEY=${madeKey}\n`);
    log.info({ url, store: name, ...store.counts() }, 'service.started');
    if (faults) log.warn(faults, 'faults.enabled');

    const signal = await untilSignal();
    log.info({ signal }, 'service.stopping');
    await service.stop();
    log.info('service.stopped');
  },
};

/** Opens the named store, else the default store of `load` if it exists, else the sample data. */
async function openChosenStore(path: string | undefined): Promise<{ name: string; store: Store }> {
  const { openStore } = await import('../service/open-store.ts');
  const { openSampleStore } = await import('../service/load-files.ts');
  if (path !== undefined && !existsSync(path)) {
    throw new DossierError('STORE_MISSING', `there is no store at ${path}`);
  }
  const chosen = path ?? (existsSync(defaultStorePath) ? defaultStorePath : undefined);
  if (chosen === undefined) return { name: 'sample data', store: await openSampleStore() };
  return { name: chosen, store: openStore(chosen) };
}
