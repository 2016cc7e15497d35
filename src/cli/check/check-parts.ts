import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RateStore } from '../../client/rate/rate-state.ts';
import { DossierError, type ErrorCode, errorCatalog } from '../../errors.ts';
import { isJobPath } from '../../job/from-list/job-for-file.ts';
import { type KeySource, readKey } from '../../job/read-key.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { checkLedger } from '../../ledger/care/examine-ledger.ts';
import { refuseMissing } from '../../ledger/file/ledger-file.ts';
import { openSharedRate } from '../../ledger/file/shared-rate.ts';
import { openJobToRead } from '../../overview/jobs/open-job.ts';
import { systemClock } from '../../runtime/clock.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import type { JobArguments } from '../options/job-options.ts';
import { counted, fromHere } from '../terminal/text.ts';
import { checkCorrections } from './check-corrections.ts';
import { checkInput } from './check-input.ts';
import { describeHeartbeat, describeNotify } from './check-on-call.ts';
import { placeChecks } from './check-places.ts';
import type { Check } from './check-report.ts';
import { checkShare } from './check-share.ts';
import { checkWritable } from './check-writable.ts';

/** The usual remedies of these errors are to run `check`, so `check` needs others. */
const remedies: Partial<Record<ErrorCode, string>> = {
  INPUT_DOWN: 'Check the address of the list, the network and any proxy between.',
  SERVICE_DOWN: 'Check the address of the service, the network and any proxy between.',
  OUTPUT_TROUBLE: 'Make the folder writable, or choose another with --output.',
};

/** Checks one part after the other. A problem becomes a failed check and is not thrown. */
export async function* checkParts(
  path: string,
  args: Parameters<typeof openJobToRead>[1] & Partial<JobArguments> & { notify?: boolean },
): AsyncGenerator<Check> {
  let job: ResolvedJob | undefined;
  yield await check('job', () => {
    job = openJobToRead(path, args);
    return `${job.name}, ${isJobPath(path) ? `as ${path} says` : 'a bare list'}`;
  });
  if (!job) return;
  const { service } = job;
  const checked = job;
  yield await check('input', () => checkInput(checked));
  yield* checkCorrections(checked);
  yield await check('ledger', () => describeLedger(checked));
  if (job.ledgerCare.snapshot) {
    const { describeSnapshot } = await import('./check-snapshot.ts');
    yield await check('snapshot', () => describeSnapshot(checked));
  }
  for (const find of placeChecks(job)) yield await check('output', find);
  const { notify, heartbeat } = job.onCall;
  const isTried = args.notify ?? false;
  if (notify) yield await check('notify', () => describeNotify(checked, { isTried }));
  else if (isTried) {
    const finding = 'no test message was posted: the job has no notify.url to post it to';
    yield { part: 'notify', state: 'skipped', finding };
  }
  if (heartbeat) yield await check('heartbeat', () => describeHeartbeat(heartbeat));

  let key: string | undefined;
  const keyCheck = await check('key', () => {
    const found = readKey(service.key, process.env);
    key = found?.reveal();
    const place = describeKey(service.key);
    return found?.warning ? `${place}; but ${found.warning}` : place;
  });
  yield keyCheck;
  if (keyCheck.state === 'failed') {
    yield { part: 'service', state: 'skipped', finding: 'not asked, because there is no key' };
  } else {
    yield await check('service', () => describeService(checked, key ?? ''));
  }
  yield* checkShare(service);
}

async function check(part: Check['part'], find: () => string | Promise<string>): Promise<Check> {
  try {
    return { part, state: 'ok', finding: await find() };
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    const { code, message: finding } = error;
    const remedy = remedies[code] ?? errorCatalog[code].remedy;
    return { part, state: 'failed', finding, code, remedy };
  }
}

async function describeLedger({ ledger: path, ledgerCare }: ResolvedJob): Promise<string> {
  if (ledgerCare.mustExist && !ledgerCare.snapshot) refuseMissing(path);
  if (existsSync(path)) {
    const { runs } = checkLedger(path);
    return `${fromHere(path)}, whole and writable, ${counted(runs, 'run', 'runs')}`;
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
    const { openSampleStore } = await import('../../service/load-files.ts');
    using store = await openSampleStore();
    return `embedded, ${counted(store.counts().companies, 'company', 'companies')} of sample data`;
  }
  const { probeService } = await import('../../client/probe-service.ts');
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
  const { openRedis, shareKeys } = await import('../../share/redis.ts');
  const { openRedisStore } = await import('../../share/rate/redis-store.ts');
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
