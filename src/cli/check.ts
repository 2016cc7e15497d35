import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { RateStore } from '../client/rate/rate-state.ts';
import { DossierError, type ErrorCode, errorCatalog } from '../errors.ts';
import { openInput } from '../input/open-input.ts';
import { isJobPath } from '../job/from-list/job-for-file.ts';
import type { JobFlags } from '../job/job-flags.ts';
import { readCorrections } from '../job/mended/correction.ts';
import { placesOf, type ResolvedPlace } from '../job/places/resolve-places.ts';
import type { SecretAddress } from '../job/read-address.ts';
import { type KeySource, readKey } from '../job/read-key.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { checkLedger } from '../ledger/care/examine-ledger.ts';
import { refuseMissing } from '../ledger/file/ledger-file.ts';
import { openSharedRate } from '../ledger/file/shared-rate.ts';
import { tryConditions } from '../objects/open-object-store.ts';
import { type Delivery, deliver } from '../oncall/on-call.ts';
import { openJobToRead } from '../overview/jobs/open-job.ts';
import { ingest, lookAtRows } from '../run/list/ingest.ts';
import { assertNever } from '../runtime/assert-never.ts';
import { systemClock } from '../runtime/clock.ts';
import { openAtomicFile } from '../runtime/files/atomic-file.ts';
import { packageVersion } from '../runtime/package-path.ts';
import { sampleData } from '../runtime/sample-data.ts';
import type { RedisFinding } from '../share/examine-redis.ts';
import { readSnapshot } from '../snapshot/open-keeper.ts';
import { command } from './command.ts';
import { allFlags, flag, job, jobFlags } from './options.ts';
import { describeSnapshots, openJobStore, snapshotLines } from './snapshot.ts';
import { counted, formatNumber, fromHere, nameJob } from './terminal/text.ts';

const partNames = [
  'job',
  'input',
  'corrections',
  'ledger',
  'snapshot',
  'output',
  'notify',
  'heartbeat',
  'key',
  'service',
  'share',
  'share-version',
  'share-eviction',
  'share-rights',
  'share-tls',
] as const;

const Check = z.object({
  part: z.enum(partNames),
  state: z
    .enum(['ok', 'warning', 'failed', 'skipped'])
    .describe('A run works with a `warning`, and should not have to for long.'),
  finding: z.string().describe('What was found, or what is wrong.'),
  code: z.string().optional().describe('Code of the error, where it failed.'),
  remedy: z.string().optional().describe('What to do about it.'),
});
type Check = z.output<typeof Check>;

/** What `check --json` prints. */
export const CheckJson = z.object({
  ok: z.boolean().describe('Whether a run would find everything it needs.'),
  exitCode: z.int().describe('That of the first part that failed, or 0.'),
  checks: z.array(Check).describe('In order; what cannot be looked at is skipped.'),
});

const signs = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  failed: ['✗', 'red'],
  skipped: ['-', 'dim'],
} as const;

export const check = command({
  options: {
    ...allFlags,
    job,
    ...jobFlags('share'),
    notify: flag('Post a test message to notify.url of the job'),
  },
  examples: {
    '$0 check jobs/demo.yaml': 'whether the demonstration would run',
    '$0 check jobs/demo.yaml --json': 'for scripts',
  },
  async facts(args): Promise<z.output<typeof CheckJson>> {
    const checks = await Array.fromAsync(checkParts(args));
    const failed = checks.find(({ state }) => state === 'failed');
    const exitCode = failed?.code ? errorCatalog[failed.code as ErrorCode].exitCode : 0;
    return { ok: failed === undefined, exitCode, checks };
  },
  /** One line for each part with its remedy below. */
  text({ checks }, page) {
    const labelWidth = Math.max(...checks.map(({ part }) => part.length)) + 4;
    return checks.flatMap(({ part, state, finding, remedy }) => {
      const [sign, color] = signs[state];
      const told = [...finding.split('\n'), ...(remedy ? [`→ ${remedy}`] : [])];
      const [first = '', ...others] = told.flatMap((line, index) =>
        page.field(index === 0 ? `${sign} ${part}:` : '', line, labelWidth),
      );
      return [first.replace(sign, page.style(color, sign)), ...others];
    });
  },
  exitCode: ({ exitCode }) => exitCode,
});

/** The usual remedies of these errors are to run `check`, so `check` needs others. */
const remedies: Partial<Record<ErrorCode, string>> = {
  INPUT_DOWN: 'Check the address of the list, the network and any proxy between.',
  SERVICE_DOWN: 'Check the address of the service, the network and any proxy between.',
  OUTPUT_TROUBLE: 'Make the folder writable, or choose another with --output.',
};

/** Checks one part after the other. A problem becomes a failed check and is not thrown. */
async function* checkParts(
  args: JobFlags & { readonly job: string; readonly notify: boolean },
): AsyncGenerator<Check> {
  let opened: ResolvedJob | undefined;
  yield* tried('job', () => {
    opened = openJobToRead(args.job, args);
    return `${opened.name}, ${isJobPath(args.job) ? `as ${args.job} says` : 'a bare list'}`;
  });
  if (!opened) return;
  const of = opened;
  const { service, onCall } = of;
  yield* tried('input', () => checkInput(of));
  yield* checkCorrections(of);
  yield* tried('ledger', () => describeLedger(of));
  if (of.ledgerCare.snapshot) yield* tried('snapshot', () => describeSnapshot(of));
  for (const place of placesOf(of)) yield* tried('output', () => describePlace(place, of.name));
  if (onCall.notify) yield* tried('notify', () => describeNotify(of, { isTried: args.notify }));
  else if (args.notify) {
    const finding = 'no test message was posted: the job has no notify.url to post it to';
    yield { part: 'notify', state: 'skipped', finding };
  }
  const { heartbeat } = onCall;
  if (heartbeat) yield* tried('heartbeat', () => describeHeartbeat(heartbeat));
  let key: string | undefined;
  yield* tried('key', () => {
    const found = readKey(service.key, process.env);
    key = found?.reveal() ?? '';
    const place = describeKey(service.key);
    return found?.warning ? `${place}; but ${found.warning}` : place;
  });
  if (key === undefined) {
    yield { part: 'service', state: 'skipped', finding: 'not asked, because there is no key' };
  } else {
    const known = key;
    yield* tried('service', () => describeService(of, known));
  }
  yield* checkShare(service);
}

async function* tried(
  part: Check['part'],
  find: () => string | Promise<string>,
): AsyncGenerator<Check> {
  try {
    yield { part, state: 'ok', finding: await find() };
  } catch (error) {
    yield failedCheck(part, error);
  }
}

/** The check that an error fails; anything but an error on purpose is thrown again. */
function failedCheck(part: Check['part'], error: unknown): Check {
  if (!(error instanceof DossierError)) throw error;
  const { code, message: finding } = error;
  const remedy = remedies[code] ?? errorCatalog[code].remedy;
  return { part, state: 'failed', finding, code, remedy };
}

async function describeLedger({ ledger: path, ledgerCare }: ResolvedJob): Promise<string> {
  if (ledgerCare.mustExist && !ledgerCare.snapshot) refuseMissing(path);
  if (existsSync(path)) {
    const { runs } = checkLedger(path);
    return `${fromHere(path)}, whole and writable, ${counted(runs, 'run')}`;
  }
  await checkWritable(dirname(path)).catch((error: Error) => {
    throw new DossierError('LEDGER_TROUBLE', error.message, { cause: error });
  });
  return `${fromHere(path)}, which the ${ledgerCare.snapshot ? 'next run restores or' : 'first run'} makes`;
}

function describeKey(source: KeySource): string {
  switch (source.from) {
    case 'nowhere':
      return 'none is needed for the embedded service';
    case 'environment':
      return `in the environment variable ${source.name}`;
    case 'file':
      return `in the file ${fromHere(source.path)}`;
  }
}

const probeFindings = {
  accepted: 'key accepted as far as can be told without paying',
  throttled: 'but requests have to wait just now, so nothing is known about the key',
  unsure: 'key not refused, but the answer was unusual: is the path of the address right?',
} as const;

async function describeService({ service, ledger, limits }: ResolvedJob, key: string) {
  const { url } = service;
  if (url === sampleData) {
    const { openSampleStore } = await import('../service/load-files.ts');
    using store = await openSampleStore();
    return `embedded, ${counted(store.counts().companies, 'company', 'companies')} of sample data`;
  }
  const { probeService } = await import('../client/probe-service.ts');
  await using shared = await openRateStores(service, ledger, key);
  const { rate, timeoutMs } = limits;
  const finding = await probeService({ baseUrl: url, key, timeoutMs, rate }, shared.stores);
  return `${new URL(url).host} is reachable; ${probeFindings[finding]}`;
}

/** Opens the rates in which the request of the check counts. A Redis that fails has a check of its own. */
async function openRateStores(
  { url, share }: ResolvedJob['service'],
  ledger: string,
  key: string,
): Promise<AsyncDisposable & { readonly stores: RateStore[] }> {
  const stores: RateStore[] = [];
  const address = { service: url.replace(/\/+$/, ''), key };
  // Without a ledger there is no run to share the rate with, and a check makes no files.
  if (existsSync(ledger)) stores.push(openSharedRate(ledger, address, () => {}));
  const redisAddress = share?.address.reveal(process.env);
  if (!redisAddress) return { stores, async [Symbol.asyncDispose]() {} };
  const { openRedis, shareKeys } = await import('../share/redis.ts');
  const { openRedisStore } = await import('../share/rate/redis-store.ts');
  const redis = await openRedis(redisAddress).catch(() => {});
  const patience = { clock: systemClock, relieve: async () => {} };
  if (redis) stores.push(openRedisStore(redis, shareKeys(url, key).rate, patience));
  return {
    stores,
    async [Symbol.asyncDispose]() {
      await redis?.quit();
    },
  };
}

const rowsChecked = 1_000;

/** Reads the first rows of a list as a run would, and says how many of them have an identifier. */
async function checkInput(job: ResolvedJob): Promise<string> {
  const { path, address, options } = job.input;
  if (path === '-') return 'standard input, which is read when the job runs';
  await using input = await openInput(address ?? path, options);
  let rows = 0;
  let good = 0;
  const queue = lookAtRows((read) => {
    rows += read.length;
    good += read.filter(({ reject }) => reject === undefined).length;
  });
  const first = { ...job, input: { ...job.input, maxRows: rowsChecked } };
  const corrections = readCorrections(job.corrections);
  const { plan, notes } = await ingest(queue, first, input, { corrections, isSample: true });
  if (rows === 0) return `${input.name} holds no rows`;

  const columns = plan.identify.map(({ index }) => input.columns[index] ?? '').join(', ');
  const scope = rows < rowsChecked ? 'all' : 'the first';
  const rowsText = `${scope} ${counted(rows, 'row')}`;
  if (good === 0) {
    throw new DossierError(
      'COLUMNS_UNCLEAR',
      `none of ${rowsText} of ${input.name} has an identifier in ${columns}`,
    );
  }
  const share = Math.round((good / rows) * 100);
  // Where the job names no key, the ledger may have one that an earlier run has found.
  const keyNotes = job.input.key ? notes : [];
  const lines = [...input.notes(), ...keyNotes].map((note) => `\n${note}`).join('');
  return `${formatNumber(good)} of ${rowsText} (${share}%) have an identifier, by ${columns}${lines}`;
}

/**
 * Says where corrections are kept, and whether more may be. A run only reads them, so that a place that
 * cannot be written fails no check.
 */
async function* checkCorrections({ corrections }: ResolvedJob): AsyncGenerator<Check> {
  if (corrections === undefined) return;
  const part = 'corrections';
  try {
    const kept = readCorrections(corrections).length;
    await checkWritable(dirname(corrections));
    if (kept === 0) return;
    const finding = `${fromHere(corrections)}, writable, ${counted(kept, 'correction')}`;
    yield { part, state: 'ok', finding };
  } catch (error) {
    const failed = failedCheck(part, error);
    if (failed.code === 'CORRECTIONS_INVALID') return yield failed;
    const finding = `\`dossier fix\` has no place for corrections: ${failed.finding}`;
    const remedy = 'A run needs none. To fix rows, name a file with input.corrections in the job.';
    yield { part, state: 'skipped', finding, code: 'FILE_UNWRITABLE', remedy };
  }
}

/** Looks at a place as a run would write it. */
async function describePlace(place: ResolvedPlace, job: string): Promise<string> {
  switch (place.kind) {
    case 'folder':
      return await describeFolder(place.path);
    case 's3': {
      const { tryUpload } = await import('../sinks/upload/prepare-upload.ts');
      // What varies comes after the part that is written to.
      await tryUpload(place.path, { job, run: '', date: '' });
      return `${place.path}, reachable and writable`;
    }
    case 'postgres': {
      const address = place.address.reveal(process.env);
      if (!address)
        return 'PostgreSQL: the variable with its address is empty, so nothing is loaded';
      const { tryLoad } = await import('../sinks/postgres/prepare-load.ts');
      return `${await tryLoad(address, place.schema)}, reachable, with the rights to load`;
    }
    default:
      return assertNever(place);
  }
}

async function describeFolder(path: string): Promise<string> {
  // A run makes the folders named by variables, so the folder above them must be writable.
  const fixed = path.replace(/[/\\][^/\\]*\{(?:date|run|job)\}.*$/, '');
  await checkWritable(fixed);
  return `${fromHere(path)}, writable`;
}

/** Writes and removes a file in the folder, or in the nearest folder above it that exists. */
async function checkWritable(path: string): Promise<void> {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const trial = join(folder, 'check');
  try {
    const file = await openAtomicFile(trial);
    await file.discard();
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    const message = error.message.replace(trial, fromHere(path));
    throw new DossierError(error.code, message, { cause: error });
  }
}

const verbs = { finished: 'finishes', failed: 'fails', expectation: 'is held' } as const;

/** `finishes, fails or is held` */
function eitherOf(words: readonly string[]): string {
  const [last = '', ...others] = [...words].reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`;
}

/** Says what would be told to whom. Nothing is sent, unless a test message is wanted. */
export async function describeNotify(
  { name, onCall }: ResolvedJob,
  { isTried }: { isTried: boolean },
): Promise<string> {
  const address = onCall.notify?.address.reveal(process.env);
  if (!address) return 'the variable is empty, so nobody is told';
  const when = `told when a run ${eitherOf((onCall.notify?.on ?? []).map((event) => verbs[event]))}`;
  if (!isTried) return `an address, ${when}; not called, --notify posts a test message`;
  const text = `Dossier: a test message of the job ${name}, from ${hostname()}. Nothing has happened.`;
  const version = packageVersion();
  const headers = { 'content-type': 'application/json', 'user-agent': `dossier/${version}` };
  const body = JSON.stringify({ text, event: 'test', job: name, host: hostname(), version });
  const delivery: Delivery = {
    to: 'notify',
    address: address.href,
    request: { method: 'POST', headers, body },
    plainBody: JSON.stringify({ text }),
  };
  const trouble = await deliver(delivery, new AbortController().signal);
  if (trouble !== undefined) {
    throw new DossierError('NOTIFY_LOST', `the test message did not arrive: ${trouble}`);
  }
  return `a test message has arrived; ${when}`;
}

/** A monitor would take a trial for the end of a run, so it is not called. */
function describeHeartbeat(heartbeat: SecretAddress): string {
  if (!heartbeat.reveal(process.env)) return 'the variable is empty, so no monitor is told';
  return 'an address, asked at the start and the end of a run; not called';
}

const shareParts = {
  reached: 'share',
  version: 'share-version',
  eviction: 'share-eviction',
  rights: 'share-rights',
  tls: 'share-tls',
} as const satisfies Record<RedisFinding['about'], Check['part']>;

/** Looks at the Redis that runs share; says nothing where none is named. */
export async function* checkShare({
  share,
  leavesShareOut,
}: ResolvedJob['service']): AsyncGenerator<Check> {
  if (leavesShareOut) {
    const finding = 'nothing is shared: sample data is answered in the process of a run';
    yield { part: 'share', state: 'skipped', finding };
  }
  if (!share) return;
  try {
    const address = share.address.reveal(process.env);
    if (!address) {
      yield { part: 'share', state: 'ok', finding: 'the variable is empty, so nothing is shared' };
      return;
    }
    // Loaded here, so that a check of a job that shares nothing loads no client of Redis.
    const { examineRedis } = await import('../share/examine-redis.ts');
    for (const found of await examineRedis(address, share)) yield asCheck(found);
  } catch (error) {
    yield failedCheck('share', error);
  }
}

function asCheck({ about, finding, advice, error }: RedisFinding): Check {
  const part = shareParts[about];
  if (error) return failedCheck(part, error);
  return advice === undefined
    ? { part, state: 'ok', finding }
    : { part, state: 'warning', finding, remedy: advice };
}

/** Looks whether a run could take the lease of its ledger, and tells where the snapshots stand. */
async function describeSnapshot(job: ResolvedJob): Promise<string> {
  const { store, at } = await openJobStore(job.ledgerCare.snapshot?.address ?? '');
  await using _store = store;
  // What a run does first: it reads, and writes on conditions.
  await readSnapshot(store, at, job.ledger);
  await tryConditions(store, at);
  return snapshotLines(await describeSnapshots(job))
    .map(nameJob)
    .join('\n');
}
