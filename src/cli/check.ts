import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { z } from 'zod';
import { DossierError, type ErrorCode, errorCatalog, exitCodeOf } from '../core/errors.ts';
import { count, string, yesOrNo } from '../core/values/fields.ts';
import { counted, formatNumber } from '../core/values/format.ts';
import type { ProbeBudget } from '../engine/client/probe-service.ts';
import { checkLedger } from '../engine/ledger/care/examine-ledger.ts';
import { refuseMissing } from '../engine/ledger/file/ledger-file.ts';
import { openSharedRate } from '../engine/ledger/file/shared-rate.ts';
import type { AdapterDefinition } from '../engine/providers/adapter/definition.ts';
import { providerOf } from '../engine/providers/providers.ts';
import { identifiedIn, planJson } from '../facts/plan.ts';
import { deliver, notification } from '../integrations/oncall/on-call.ts';
import { isJobPath } from '../job/from-list/job-name.ts';
import { describeKey, readKey } from '../job/read-address.ts';
import { destinationsOf } from '../job/resolve-destinations.ts';
import type { JobLedger, ResolvedJob, ResolvedService } from '../job/resolved-job.ts';
import { fieldsWithout } from '../job/services/load-adapter.ts';
import { systemClock } from '../platform/clock.ts';
import { requireWritable } from '../platform/files/atomic-file.ts';
import { fromHere } from '../platform/files/local-path.ts';
import { tryConditions } from '../platform/objects/open-object-store.ts';
import { packageVersion } from '../platform/package-path.ts';
import { createDestination } from '../results/destinations/create-destination.ts';
import { readJobToRun } from '../run/jobs/read-job.ts';
import { planJob } from '../run/plan-job.ts';
import { command } from './parts/command.ts';
import { chargedOf, rateAddress, redisOf } from './parts/connect.ts';
import { allFlags, flag, jobArgument, jobFlags, newLedger } from './parts/options.ts';
import { readSnapshotFacts, snapshotLines } from './parts/snapshot-facts.ts';
import { heldRemedy, nameJob } from './terminal/text.ts';

const Check = z.object({
  part: string('Checked part, such as `job`, `input` or `ledger`. `share` is Redis.'),
  state: z
    .enum(['ok', 'warning', 'failed', 'skipped'])
    .describe('With a `warning`, a run still works, but fix the problem soon.'),
  finding: string('What was found, or what is wrong.'),
  code: string('Error code, if the check failed.').optional(),
  remedy: string('What to do about the problem.').optional(),
});
type Check = z.output<typeof Check>;

export const CheckJson = z.object({
  ok: yesOrNo('Whether a run would find everything it needs.'),
  exitCode: count('Exit code of the first failed part, or 0.'),
  checks: z
    .array(Check)
    .describe('Checked parts, in order. Parts that the job does not set up are left out.'),
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
    job: jobArgument,
    ...jobFlags('share'),
    newLedger,
    notify: flag("Post a test message to the job's notify.url"),
  },
  examples: {
    '$0 check jobs/demo.yaml': 'check whether the demonstration would run',
    '$0 check jobs/demo.yaml --json': 'print the checks as JSON',
  },
  async facts(args): Promise<z.output<typeof CheckJson>> {
    const checks: Check[] = [];
    const take = async (part: string, find: Find) => {
      checks.push(...(await findingsOf(part, find)));
    };
    let opened: ResolvedJob | undefined;
    await take('job', () => {
      opened = readJobToRun(args.job, args);
      return `${opened.name}, ${isJobPath(args.job) ? `from ${args.job}` : 'a list without a job file'}`;
    });
    for (const [part, find] of opened ? stepsOf(opened, args.notify) : []) await take(part, find);
    const failed = checks.find(({ state }) => state === 'failed');
    const exitCode = failed?.code ? errorCatalog[failed.code as ErrorCode].exitCode : 0;
    return { ok: failed === undefined, exitCode, checks };
  },
  text({ checks }, page) {
    const labelWidth = Math.max(...checks.map(({ part }) => part.length)) + 4;
    return checks.flatMap(({ part, state, finding, remedy }) => {
      const [sign, color] = signs[state];
      const lines = `${finding}${remedy ? `\n→ ${remedy}` : ''}`.split('\n');
      const [first = '', ...others] = lines.flatMap((line, index) =>
        // A command to copy is not wrapped.
        line.startsWith(' ')
          ? ' '.repeat(labelWidth) + line
          : page.field(index === 0 ? `${sign} ${part}:` : '', line, labelWidth),
      );
      return [first.replace(sign, page.style(color, sign)), ...others];
    });
  },
  exitCode: ({ exitCode }) => exitCode,
});

/** Result for one part: a string means `ok`, undefined means that the job does not use the part. */
type Found = string | undefined | readonly (Omit<Check, 'part'> & Partial<Check>)[];
type Find = () => Found | Promise<Found>;

const skipped = (finding: string): Found => [{ state: 'skipped', finding }];

function stepsOf(job: ResolvedJob, isNotified: boolean): (readonly [part: string, find: Find])[] {
  const { onCall, ledgerCare } = job;
  return [
    ['input', () => checkInput(job)],
    ['ledger', () => checkLedgerOf(job)],
    ['snapshot', () => ledgerCare.snapshot && checkSnapshot(job, ledgerCare.snapshot.address)],
    ...destinationsOf(job).map(
      (destination) => ['output', () => createDestination(destination).check(job.name)] as const,
    ),
    ['notify', () => checkNotify(job, isNotified)],
    [
      'heartbeat',
      () =>
        // Not called, because a monitor would take a test call for the end of a run.
        onCall.heartbeat &&
        (onCall.heartbeat.reveal(process.env)
          ? 'called when a run starts and ends; not called by this check'
          : 'off: the environment variable with its address is empty'),
    ],
    ...job.services.flatMap((service) => serviceSteps(job, service)),
  ];
}

/** With several services, each part says which one it is of. */
function serviceSteps(
  job: ResolvedJob,
  service: ResolvedService,
): (readonly [part: string, find: Find])[] {
  const part = (name: string) => (job.services.length > 1 ? `${name} ${service.name}` : name);
  const { adapter } = service;
  let key: string | undefined;
  return [
    [
      part('key'),
      () => {
        const found = readKey(service.key, process.env);
        key = found?.reveal() ?? '';
        return `${service.isSample ? 'not needed for sample data' : describeKey(service.key)}${found?.warning ? `; but ${found.warning}` : ''}`;
      },
    ],
    [
      part('service'),
      () => (key === undefined ? skipped('not called: no key') : checkService(job, service, key)),
    ],
    [part('adapter'), () => adapter && `${adapter.name}; it never fills ${neverFilled(adapter)}`],
    [part('share'), () => checkShare(service)],
  ];
}

function neverFilled(adapter: AdapterDefinition) {
  return fieldsWithout(adapter).join(', ') || 'nothing less than all fields';
}

async function findingsOf(part: string, find: Find): Promise<Check[]> {
  try {
    const found = await find();
    if (typeof found === 'string') return [{ part, state: 'ok', finding: found }];
    return (found ?? []).map((check) => ({ part, ...check }));
  } catch (error) {
    const failed = failure(error);
    // The job is read with its ledger, which may be the one that is damaged.
    return [{ part: failed.code.startsWith('LEDGER_') ? 'ledger' : part, ...failed }];
  }
}

function failure(error: unknown) {
  if (!(error instanceof DossierError)) throw error;
  const { code, message: finding, remedy } = error;
  return { state: 'failed' as const, finding, code, remedy: nameJob(remedy) };
}

/** Also tries conditional writes, which a run needs to take the lease of the snapshot. */
async function checkSnapshot({ ledger }: JobLedger, address: string) {
  const facts = await readSnapshotFacts(ledger, address, tryConditions);
  return nameJob(snapshotLines(facts).join('\n'));
}

async function checkLedgerOf({ ledger: path, ledgerCare }: JobLedger): Promise<Found> {
  if (ledgerCare.mustExist && !ledgerCare.snapshot) refuseMissing(path);
  if (existsSync(path)) {
    const { runs, isOutdated } = checkLedger(path);
    const finding = `${fromHere(path)}, intact and writable, ${counted(runs, 'run')}`;
    if (!isOutdated) return finding;
    return [
      { state: 'warning', finding: `${finding}, of an older version`, remedy: nameJob(upgrade) },
    ];
  }
  await requireWritable(dirname(path)).catch((error: Error) => {
    throw new DossierError('LEDGER_TROUBLE', error.message, { cause: error });
  });
  return `${fromHere(path)}, created by the next run`;
}

const upgrade =
  'The next run upgrades it. To check the list now, run `dossier ledger upgrade <job>` first.';

const probeFindings = {
  accepted: 'the key seems to be accepted (only a paid call would prove it)',
  throttled: 'the service is throttling, so the key could not be checked',
  unasked: 'the key was not checked, because this needs a call; `dossier services check` sends one',
  unsure: 'the key was not refused, but the answer is unusual: is the path in the URL right?',
} as const;

const free: ProbeBudget = { reserve: () => {}, end: () => {} };

async function checkService(job: ResolvedJob, service: ResolvedService, key: string) {
  if (service.isSample) {
    const { openSampleStore } = await import('../service/load-files.ts');
    using store = await openSampleStore();
    return `sample data, ${counted(store.counts().companies, 'company', 'companies')}`;
  }
  const isFree = service.price?.companyMicros === 0;
  return (await probe(service, job, key, isFree ? free : undefined)).finding;
}

export async function probe(
  service: ResolvedService,
  { ledger, limits }: Pick<ResolvedJob, 'ledger' | 'limits'>,
  key: string,
  budget?: ProbeBudget,
) {
  const { probeService } = await import('../engine/client/probe-service.ts');
  // A check must not create a ledger.
  const stores = existsSync(ledger)
    ? [openSharedRate(ledger, rateAddress(service, key), () => {})]
    : [];
  const { timeoutMs } = limits;
  const { rate = limits.rate, url: baseUrl } = service;
  const charged = chargedOf(service);
  const keyPlace = ` (${describeKey(service.key)})`;
  const access = { provider: providerOf(service), baseUrl, key, keyPlace };
  const options = { ...access, timeoutMs, rate, charged };
  const { finding, ...probed } = await probeService(options, stores, budget);
  const isResponding = finding === 'unasked' ? '' : ' is responding';
  const isProven = finding === 'accepted' && probed.mayBeCharged;
  const found = isProven ? 'the key is accepted' : probeFindings[finding];
  return { ...probed, finding: `${new URL(baseUrl).host}${isResponding}; ${found}` };
}

async function checkInput(job: ResolvedJob): Promise<Found> {
  if (job.input.path === '-') return 'standard input; only a run reads it';
  try {
    const { input, rows, notes, held, accept } = planJson(
      await planJob(job, { clock: systemClock }),
    );
    if (held !== null && accept !== null) {
      const code = accept === 'clock' ? 'CLOCK_AHEAD' : 'LIST_HELD';
      throw new DossierError(code, `a run would be held: ${held}`, { remedy: heldRemedy(accept) });
    }
    const good = identifiedIn(rows);
    if (good === 0 && rows.total > 0) {
      throw new DossierError('COLUMNS_UNCLEAR', `no row of ${input} has an identifier`);
    }
    const text = `${formatNumber(good)} of ${counted(rows.total, 'row')} have an identifier`;
    return [text, ...notes].join('\n');
  } catch (error) {
    // The check of the ledger reports ledger errors.
    if (exitCodeOf(error) !== errorCatalog.LEDGER_TROUBLE.exitCode) throw error;
    return skipped('not read, because the ledger cannot be read');
  }
}

async function checkNotify(
  { name, onCall: { notify } }: Pick<ResolvedJob, 'name' | 'onCall'>,
  isTried: boolean,
): Promise<Found> {
  if (!notify) {
    return isTried ? skipped('no test message was posted: the job has no notify.url') : undefined;
  }
  const address = notify.address.reveal(process.env);
  if (!address) return 'off: the environment variable with its address is empty';
  const when = `posts on ${notify.on.join(', ')}`;
  if (!isTried) return `${when}; --notify posts a test message now`;
  const host = hostname();
  const version = packageVersion();
  const text = `Dossier: test message from ${name} on ${host}. No action is needed.`;
  const message = { text, event: 'test', job: name, host, version };
  const problem = await deliver(notification(address, message), new AbortController().signal);
  if (problem === undefined) return `a test message arrived; ${when}`;
  throw new DossierError('NOTIFY_LOST', `the test message did not arrive: ${problem}`);
}

export async function checkShare(service: ResolvedService): Promise<Found> {
  if (!service.share) return undefined;
  const address = redisOf(service);
  if (!address) return 'off: the environment variable with its address is empty';
  const { examineRedis } = await import('../integrations/share/examine-redis.ts');
  const { finding, advice: remedy } = await examineRedis(address);
  return [{ state: remedy ? 'warning' : 'ok', finding, remedy }];
}
