import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { DossierError, type ErrorCode, errorCatalog } from '../core/errors.ts';
import { tryConditions } from '../core/objects/open-object-store.ts';
import { systemClock } from '../core/runtime/clock.ts';
import { openAtomicFile } from '../core/runtime/files/atomic-file.ts';
import { packageVersion } from '../core/runtime/package-path.ts';
import { sampleData } from '../core/runtime/sample-data.ts';
import { checkLedger } from '../engine/ledger/care/examine-ledger.ts';
import { refuseMissing } from '../engine/ledger/file/ledger-file.ts';
import { openSharedRate } from '../engine/ledger/file/shared-rate.ts';
import { type Correction, readCorrections } from '../job/corrections.ts';
import { isJobPath } from '../job/from-list/job-for-file.ts';
import { readKey } from '../job/read-address.ts';
import { placesOf, type ResolvedPlace } from '../job/resolve-job.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { openInput } from '../lists/open-input.ts';
import { deliver } from '../reach/oncall/on-call.ts';
import { ingest, lookAtRows } from '../run/list/ingest.ts';
import { planJob } from '../run/open-run.ts';
import { openJobToRead } from '../ui/overview/jobs.ts';
import { command } from './command.ts';
import { allFlags, flag, job, jobFlags } from './options.ts';
import { readSnapshotFacts, snapshotLines } from './snapshot.ts';
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
    const checks: Check[] = [];
    let opened: ResolvedJob | undefined;
    const first: Step = [
      'job',
      () => {
        opened = openJobToRead(args.job, args);
        return `${opened.name}, ${isJobPath(args.job) ? `as ${args.job} says` : 'a bare list'}`;
      },
    ];
    checks.push(...(await takeStep(first)));
    for (const step of opened ? stepsOf(opened, args.notify) : []) {
      checks.push(...(await takeStep(step)));
    }
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

/** What a step has found: that all is well, checks of another kind, or nothing worth a line. */
type Found = string | undefined | readonly (Omit<Check, 'part'> & Partial<Check>)[];

type Step = readonly [part: Check['part'], find: () => Found | Promise<Found>];

const skipped = (finding: string): Found => [{ state: 'skipped', finding }];

/** Every part of a job that a run needs, in the order in which a run needs them. */
function stepsOf(of: ResolvedJob, isNotified: boolean): Step[] {
  const { service, onCall, ledgerCare } = of;
  let key: string | undefined;
  return [
    ['input', () => checkInput(of)],
    ['corrections', () => checkCorrections(of)],
    ['ledger', () => checkLedgerOf(of)],
    [
      'snapshot',
      async () => {
        if (!ledgerCare.snapshot) return undefined;
        // What a run does first: it reads, and writes on conditions.
        const { address } = ledgerCare.snapshot;
        const facts = await readSnapshotFacts(of.ledger, address, tryConditions);
        return nameJob(snapshotLines(facts).join('\n'));
      },
    ],
    ...placesOf(of).map((place): Step => ['output', () => checkPlace(place, of.name)]),
    ['notify', () => checkNotify(of, isNotified)],
    [
      'heartbeat',
      () => {
        if (!onCall.heartbeat) return undefined;
        // A monitor would take a trial for the end of a run, so it is not called.
        return onCall.heartbeat.reveal(process.env)
          ? 'an address, asked at the start and the end of a run; not called'
          : 'the variable is empty, so no monitor hears of the run';
      },
    ],
    [
      'key',
      () => {
        const found = readKey(service.key, process.env);
        key = found?.reveal() ?? '';
        return `${keyPlace(service.key)}${found?.warning ? `; but ${found.warning}` : ''}`;
      },
    ],
    [
      'service',
      () =>
        key === undefined ? skipped('not asked, because there is no key') : checkService(of, key),
    ],
    ['share', () => checkShare(service)],
  ];
}

/** The usual remedies of these errors are to run `check`, so `check` needs others. */
const remedies: Partial<Record<ErrorCode, string>> = {
  INPUT_DOWN: 'Check the address of the list, the network and any proxy between.',
  SERVICE_DOWN: 'Check the address of the service, the network and any proxy between.',
  OUTPUT_TROUBLE: 'Make the folder writable, or choose another with --output.',
};

/** Takes a step. A problem becomes a failed check and is not thrown. */
async function takeStep([part, find]: Step): Promise<Check[]> {
  try {
    const found = await find();
    if (typeof found === 'string') return [{ part, state: 'ok', finding: found }];
    return (found ?? []).map((check) => ({ part, ...check }));
  } catch (error) {
    return [{ part, ...failure(error) }];
  }
}

function failure(error: unknown) {
  if (!(error instanceof DossierError)) throw error;
  const { code, message: finding } = error;
  const remedy = nameJob(remedies[code] ?? errorCatalog[code].remedy);
  return { state: 'failed' as const, finding, code, remedy };
}

async function checkLedgerOf({ ledger: path, ledgerCare }: ResolvedJob) {
  if (ledgerCare.mustExist && !ledgerCare.snapshot) refuseMissing(path);
  if (existsSync(path)) {
    return `${fromHere(path)}, whole and writable, ${counted(checkLedger(path).runs, 'run')}`;
  }
  const trouble = await whyUnwritable(dirname(path));
  if (trouble) throw new DossierError('LEDGER_TROUBLE', trouble.message, { cause: trouble });
  return `${fromHere(path)}, which the ${ledgerCare.snapshot ? 'next run restores or' : 'first run'} makes`;
}

function keyPlace(source: ResolvedJob['service']['key']): string {
  if (source.from === 'nowhere') return 'none is needed for the embedded service';
  return source.from === 'file'
    ? `in the file ${fromHere(source.path)}`
    : `in the environment variable ${source.name}`;
}

const probeFindings = {
  accepted: 'key accepted as far as can be told without paying',
  throttled: 'but requests have to wait just now, so nothing is known about the key',
  unsure: 'key not refused, but the answer was unusual: is the path of the address right?',
} as const;

async function checkService({ service, ledger, limits }: ResolvedJob, key: string) {
  const { url, share } = service;
  if (url === sampleData) {
    const { openSampleStore } = await import('../service/load-files.ts');
    using store = await openSampleStore();
    return `embedded, ${counted(store.counts().companies, 'company', 'companies')} of sample data`;
  }
  const { probeService } = await import('../engine/client/probe-service.ts');
  const address = share?.reveal(process.env);
  // A Redis that fails has a check of its own.
  const opening = address && openRedisRate(address, url, key).catch(() => undefined);
  await using redis = await opening;
  // Without a ledger there is no run to share the rate with, and a check makes no files.
  const isKept = existsSync(ledger);
  const stores = isKept ? [openSharedRate(ledger, { service: url, key }, () => {})] : [];
  if (redis) stores.push(redis.store);
  const { rate, timeoutMs } = limits;
  const finding = await probeService({ baseUrl: url, key, timeoutMs, rate }, stores);
  return `${new URL(url).host} is reachable; ${probeFindings[finding]}`;
}

async function openRedisRate(address: URL, url: string, key: string) {
  const { openRedis, shareKeys } = await import('../reach/share/redis.ts');
  const { openRedisStore } = await import('../reach/share/rate/redis-store.ts');
  const redis = await openRedis(address);
  const patience = { clock: systemClock, relieve: async () => {} };
  return {
    store: openRedisStore(redis, shareKeys(url, key).rate, patience),
    [Symbol.asyncDispose]: async () => void (await redis.quit()),
  };
}

const rowsChecked = 1_000;

/** Reads the first rows of a list as a run would, and says how many of them have an identifier. */
async function checkInput(of: ResolvedJob) {
  const { path, address, options, key } = of.input;
  if (path === '-') return 'standard input, which is read when the job runs';
  await using input = await openInput(address ?? path, options);
  let rows = 0;
  let good = 0;
  const queue = lookAtRows((read) => {
    rows += read.length;
    good += read.filter(({ reject }) => reject === undefined).length;
  });
  const first = { ...of, input: { ...of.input, maxRows: rowsChecked } };
  const corrections = readCorrections(of.corrections);
  const { plan, notes } = await ingest(queue, first, input, { corrections, isSample: true });
  const held = await whyHeld(of, corrections);
  if (held !== undefined) {
    throw new DossierError('LIST_HELD', `a run would be held before its first call: ${held}`);
  }
  if (rows === 0) return `${input.name} holds no rows`;
  const columns = plan.identify.map(({ index }) => input.columns[index] ?? '').join(', ');
  const rowsText = `${rows < rowsChecked ? 'all' : 'the first'} ${counted(rows, 'row')}`;
  if (good === 0) {
    throw new DossierError(
      'COLUMNS_UNCLEAR',
      `none of ${rowsText} of ${input.name} has an identifier in ${columns}`,
    );
  }
  const share = Math.round((good / rows) * 100);
  return [
    `${formatNumber(good)} of ${rowsText} (${share}%) have an identifier, by ${columns}`,
    ...input.notes(),
    // Where the job names no key, the ledger may have one that an earlier run has found.
    ...(key ? notes : []),
  ].join('\n');
}

/** Judges the whole list as a run does. The ledger has a check of its own. */
async function whyHeld(of: ResolvedJob, corrections: readonly Correction[]) {
  try {
    return (await planJob(of, { clock: systemClock, corrections })).held;
  } catch (error) {
    if (error instanceof DossierError && error.code === 'LIST_EMPTY') throw error;
    return undefined;
  }
}

/** A run only reads corrections, so that a place that cannot be written fails no check. */
async function checkCorrections({ corrections }: ResolvedJob): Promise<Found> {
  if (corrections === undefined) return undefined;
  const kept = readCorrections(corrections).length;
  const trouble = await whyUnwritable(dirname(corrections));
  if (trouble) {
    const finding = `\`dossier fix\` has no place for corrections: ${trouble.message}`;
    const remedy = 'A run needs none. To fix rows, name a file with input.corrections in the job.';
    return [{ state: 'skipped', finding, code: 'FILE_UNWRITABLE', remedy }];
  }
  if (kept === 0) return undefined;
  return `${fromHere(corrections)}, writable, ${counted(kept, 'correction')}`;
}

/** Looks at a place as a run would write it. */
async function checkPlace(place: ResolvedPlace, job: string) {
  switch (place.kind) {
    case 'folder': {
      // A run makes the folders named by variables, so the folder above them must be writable.
      const fixed = place.path.replace(/[/\\][^/\\]*\{(?:date|run|job)\}.*$/, '');
      const trouble = await whyUnwritable(fixed);
      if (trouble) throw trouble;
      return `${fromHere(place.path)}, writable`;
    }
    case 's3': {
      const { tryUpload } = await import('../results/upload/prepare-upload.ts');
      // What varies comes after the part that is written to.
      await tryUpload(place.path, { job, run: '', date: '' });
      return `${place.path}, reachable and writable`;
    }
    case 'postgres': {
      const address = place.address.reveal(process.env);
      if (!address)
        return 'PostgreSQL: the variable with its address is empty, so nothing is loaded';
      const { tryLoad } = await import('../results/postgres/prepare-load.ts');
      return `${await tryLoad(address, place.schema)}, reachable, with the rights to load`;
    }
  }
}

/** Writes and removes a file in the folder, or in the nearest folder above it that exists. */
async function whyUnwritable(path: string): Promise<DossierError | undefined> {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const trial = join(folder, 'check');
  try {
    const file = await openAtomicFile(trial);
    await file.discard();
    return undefined;
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    const message = error.message.replace(trial, fromHere(path));
    return new DossierError(error.code, message, { cause: error });
  }
}

const verbs = { finished: 'finishes', failed: 'fails', expectation: 'is held' } as const;
const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Says who is notified of what. Nothing is sent, unless a test message is wanted. */
export async function checkNotify(
  { name, onCall: { notify } }: Pick<ResolvedJob, 'name' | 'onCall'>,
  isTried: boolean,
): Promise<Found> {
  if (!notify) {
    const finding = 'no test message was posted: the job has no notify.url to post it to';
    return isTried ? skipped(finding) : undefined;
  }
  const address = notify.address.reveal(process.env);
  if (!address) return 'the variable is empty, so no message is sent';
  const when = `told when a run ${either.format(notify.on.map((event) => verbs[event]))}`;
  if (!isTried) return `an address, ${when}; not called, --notify posts a test message`;
  const host = hostname();
  const version = packageVersion();
  const text = `Dossier: a test message of the job ${name}, from ${host}. Nothing has happened.`;
  const headers = { 'content-type': 'application/json', 'user-agent': `dossier/${version}` };
  const body = JSON.stringify({ text, event: 'test', job: name, host, version });
  const request = { method: 'POST' as const, headers, body };
  const plainBody = JSON.stringify({ text });
  const delivery = { to: 'notify' as const, address: address.href, request, plainBody };
  const trouble = await deliver(delivery, new AbortController().signal);
  if (trouble === undefined) return `a test message has arrived; ${when}`;
  throw new DossierError('NOTIFY_LOST', `the test message did not arrive: ${trouble}`);
}

/** Looks at the Redis that runs share; says nothing where none is named. */
export async function checkShare({
  share,
  leavesShareOut,
}: ResolvedJob['service']): Promise<Found> {
  if (leavesShareOut) {
    return skipped('nothing is shared: sample data is answered in the process of a run');
  }
  if (!share) return undefined;
  const address = share.reveal(process.env);
  if (!address) return 'the variable is empty, so nothing is shared';
  // Loaded here, so that a check of a job that shares nothing loads no client of Redis.
  const { examineRedis } = await import('../reach/share/examine-redis.ts');
  const findings = await examineRedis(address);
  return findings.map(({ about, finding, advice: remedy, error }) => ({
    part: about === 'reached' ? ('share' as const) : (`share-${about}` as const),
    ...(error ? failure(error) : { state: remedy ? 'warning' : 'ok', finding, remedy }),
  }));
}
