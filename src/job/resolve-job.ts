import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ReferenceNames } from '../core/contract/reference.ts';
import { DossierError } from '../core/errors.ts';
import type { Limit } from '../core/rules/budgets.ts';
import type { PeopleTerms } from '../core/rules/people-search.ts';
import type { ReuseTerms } from '../core/rules/reuse.ts';
import type { Price } from '../core/values/money.ts';
import { defaultKeepRuns, fallbackUrlVariable } from '../core/values/terms.ts';
import {
  type Service as ProvidedService,
  providerAt,
  providerOf,
  sampleData,
} from '../engine/providers/providers.ts';
import { isServiceUrl, readServiceUrl } from '../engine/providers/service-url.ts';
import {
  isListAddress,
  type ListAddress,
  listAddress,
  notLocal,
  shownPath,
} from '../platform/files/local-path.ts';
import { dataFolder } from '../platform/files/user-folder.ts';
import { correctionsPath } from './corrections.ts';
import {
  identifyFlags,
  type JobFlags,
  readFlags,
  readInputForm,
  refreshedReuse,
} from './job-flags.ts';
import { type Job, listSearches, referenceNames } from './job-schema.ts';
import type { LoadedJob } from './load-job.ts';
import {
  type Environment,
  type KeySource,
  keyVariable,
  redisAddress,
  type SecretAddress,
  secretAddress,
} from './read-address.ts';
import { type JobDestinations, resolveDestinations } from './resolve-destinations.ts';
import { Service, shareVariable } from './schema/service-fields.ts';
import { defaultService, resolveServices } from './services/resolve-services.ts';

export const columnFlag = '--column';

const forever = Number.POSITIVE_INFINITY;

export interface JobContext {
  readonly flags: JobFlags;
  readonly env: Environment;
  readonly cwd: string;
}

/** A job with a `service:` block has one service, which its outputs do not name. */
export const inlineName = 'service';

/**
 * What the user asked for, in groups. Paths are absolute, times are in milliseconds, and it contains
 * no secrets.
 */
export interface ResolvedJob extends JobList, JobService, JobResult, JobLedger {
  readonly name: string;
  readonly file: string | undefined;
}

/** The list, and which cells identify companies. */
interface JobList {
  /** The job's own list; `--input` replaces only `input.path`. */
  readonly list: string;
  readonly corrections: string | undefined;
  readonly input: {
    /** Absolute path, address without secrets, or `-` for standard input. */
    readonly path: string;
    readonly address: ListAddress | undefined;
    readonly options: Omit<Job['input'], 'path' | 'key' | 'corrections'>;
    readonly key: Job['input']['key'];
    readonly maxRows: number | undefined;
  };
  readonly identify: Job['identify'];
  readonly acceptNames: Job['names']['accept'];
  /** Rows of cancelled ABNs end without a lookup. */
  readonly skipCancelled: boolean;
  readonly country: Job['country'];
  readonly suppress: readonly string[];
  /** `leads.yaml:9:13` or `--column` */
  positionOfColumn(column: string): string | undefined;
}

/** Who is asked for what, how fast, and at which cost. */
export interface JobService {
  /** In the order in which they are asked. */
  readonly services: readonly [ResolvedService, ...ResolvedService[]];
  /** The file that describes them; undefined if the job does. */
  readonly servicesFile: string | undefined;
  readonly people: PeopleTerms | undefined;
  readonly reference: ReferenceNames;
  readonly limits: {
    readonly rate: number | 'none';
    readonly concurrency: number;
    readonly timeoutMs: number;
    readonly attempts: number;
    readonly maxWaitMs: number;
  };
  readonly budget: Omit<Job['budget'], 'confirmAbove'> & {
    readonly confirmAboveMicros: number;
    readonly spendMicros?: number;
  };
  readonly reuse: ReuseTerms;
  readonly refresh: Parameters<typeof refreshedReuse>[1];
}

/** What becomes of the answers. */
export interface JobResult extends JobDestinations {
  readonly retain: { readonly companiesMs: number; readonly peopleMs: number };
  /** `--output` names other destinations than the job file, for this command only. */
  readonly isElsewhere: boolean;
  readonly expect: readonly NonNullable<Job['expect'][keyof Job['expect']]>[];
  readonly changes: Job['changes'];
  readonly onCall: {
    readonly notify: { readonly address: SecretAddress; readonly on: NotifyOn } | undefined;
    readonly heartbeat: SecretAddress | undefined;
  };
}

type NotifyOn = NonNullable<Job['notify']>['on'];

/** Where answers and names are kept. */
export interface JobLedger {
  readonly ledger: string;
  /** By a flag or the job. If not, `run/jobs/find-ledger` decides. */
  readonly isLedgerNamed: boolean;
  /** Of DOSSIER_LEDGER, if no flag replaces it. */
  readonly sharedLedger: string | undefined;
  readonly ledgerCare: {
    readonly keepRuns: number;
    readonly mustExist: boolean;
    readonly snapshot: { readonly address: string; readonly everyMs: number } | undefined;
    /** Set if the snapshot is unused because a flag names a different ledger. */
    readonly otherSnapshot: string | undefined;
  };
  /** Company names and their ABNs, if the file exists. */
  readonly register: string;
  /** By the job or a flag, so it has to be there. */
  readonly isRegisterNamed: boolean;
}

/** Order of precedence: flags, environment, job file, defaults. A job's own ledger wins over DOSSIER_LEDGER. */
export function resolveJob(loaded: LoadedJob, context: JobContext): ResolvedJob {
  const { job } = loaded;
  const { env, cwd } = context;
  const flags = readFlags(context.flags);
  const fromCwd = (path: string | undefined) => (path ? resolve(cwd, path) : undefined);
  const jobFile = fromCwd(loaded.path);
  const jobFolder = jobFile ? dirname(jobFile) : cwd;
  const fromJob = (path: string | undefined) => (path ? resolve(jobFolder, path) : undefined);

  const { path: ownInput, key, corrections, ...options } = job.input;
  const list = listPath(jobFolder, ownInput);
  const { confirmAbove: confirmAboveMicros, ...budget } = job.budget;
  const reference = referenceNames(job.reference);
  const columns = identifyFlags(context.flags);
  const { companies: companiesMs = forever, people: peopleMs = forever } = job.retain;
  const named = fromJob(job.ledger.path);
  const sharedLedger = fromCwd(env.DOSSIER_LEDGER);
  const ownLedger = named ?? sharedLedger ?? ledgerBeside(job.ledger, cwd, jobFolder);
  const ledger = fromCwd(flags.ledger) ?? ownLedger;
  const reuseOf = (reuse: Job['reuse']) =>
    refreshedReuse(reuseWithin(reuse, companiesMs, peopleMs), flags.refresh);
  const described = namedServices(loaded, flags, {
    jobFolder,
    env,
    rate: flags.rate ?? (loaded.positionOf(['limits', 'rate']) ? job.limits.rate : undefined),
    reuse: reuseOf,
    share: (written) => sharedAddress(written, flags.share, env),
    positionOf: (index) => loaded.positionOf(['service', index]) ?? loaded.positionOf(['service']),
  });
  const [first, ...others] = described?.services ?? [
    ownService(loaded, flags, { fromCwd, fromJob, env }),
  ];
  if (!first) throw new Error(`the job ${job.name} has no service`);
  const services = [first, ...others] as const;
  const resolved = {
    name: job.name,
    file: jobFile,
    services,
    servicesFile: described?.path,
    list,
    corrections: fromJob(corrections) ?? correctionsPath(jobFile, list, cwd),
    input: {
      path: flags.input === undefined ? list : listPath(cwd, flags.input),
      address: listAddress(flags.input ?? ownInput),
      options: { ...options, ...readInputForm(context.flags) },
      key,
      maxRows: flags.limit,
    },
    identify: columns ?? job.identify,
    acceptNames: job.names.accept,
    skipCancelled: flags.skipCancelled ?? job.skipCancelled ?? false,
    country: job.country,
    positionOfColumn: (column: string) =>
      columns?.some((entry) => entry.column === column)
        ? columnFlag
        : positionOfColumn(loaded, column),
    people: job.people && {
      searches: listSearches(job.people, reference),
      pageSize: job.people.pageSize,
      maxPerCompany: job.people.maxPerCompany,
    },
    reference,
    limits: resolveLimits(job, flags),
    budget: {
      ...budget,
      perStart: flags.maxCalls ?? budget.perStart,
      confirmAboveMicros,
      ...(flags.maxSpend !== undefined && { spendMicros: flags.maxSpend }),
    },
    reuse: reuseOf(job.reuse),
    suppress: [
      ...(job.suppress ?? []).map((path) => resolve(jobFolder, path)),
      ...(flags.suppress ?? []).map((path) => resolve(cwd, path)),
    ],
    retain: { companiesMs, peopleMs },
    refresh: flags.refresh,
    isElsewhere: flags.output !== undefined && jobFile !== undefined,
    ...resolveDestinations(job, context.flags, cwd, jobFolder, loaded.positionOf),
    expect: Object.values(job.expect).filter((bound) => bound !== undefined),
    changes: job.changes,
    ledger,
    register:
      fromCwd(flags.register ?? env.DOSSIER_REGISTER) ??
      fromJob(job.register) ??
      join(dataFolder(env), 'register.db'),
    isRegisterNamed: (flags.register ?? job.register) !== undefined,
    isLedgerNamed: (flags.ledger ?? named) !== undefined || (!sharedLedger && isKept(job.ledger)),
    sharedLedger: flags.ledger === undefined ? sharedLedger : undefined,
    onCall: resolveOnCall(job),
    ledgerCare: resolveLedgerCare(job.ledger, ledger === ownLedger),
  };
  refuseLedger(resolved, flags.ledger === undefined ? env.DOSSIER_LEDGER : undefined);
  refusePeople(services, loaded);
  return resolved;
}

function resolveLimits(
  { limits }: Job,
  {
    rate = limits.rate,
    concurrency = limits.concurrency,
  }: { readonly [Name in 'rate' | 'concurrency']?: Job['limits'][Name] | undefined },
) {
  const { timeout: timeoutMs, attempts, maxWait: maxWaitMs } = limits;
  return { rate, concurrency, timeoutMs, attempts, maxWaitMs };
}

function refuseLedger({ input, ledger }: ResolvedJob, ofVariable = '') {
  const problem = notLocal(ofVariable);
  if (problem !== undefined) {
    throw new DossierError('LEDGER_TROUBLE', `DOSSIER_LEDGER: ${problem}`);
  }
  if (input.path === ledger) {
    throw new DossierError('JOB_INVALID', `${ledger} cannot be both the input and the ledger`);
  }
}

/** Snapshots and ledgers that must exist belong to their job. */
function isKept({ snapshot, mustExist, keepRuns }: Job['ledger']) {
  return snapshot !== undefined || mustExist || keepRuns !== defaultKeepRuns;
}

function ledgerBeside(ledger: Job['ledger'], cwd: string, jobFolder: string) {
  const here = resolve(cwd, 'output/ledger.db');
  // Until version 0.9.0, it was in the working directory.
  return isKept(ledger) && !existsSync(here) ? resolve(jobFolder, 'output/ledger.db') : here;
}

function listPath(folder: string, path: string) {
  if (isListAddress(path)) return shownPath(path);
  return path === '-' ? '-' : resolve(folder, path);
}

function positionOfColumn({ job, positionOf }: LoadedJob, column: string) {
  for (const [index, entry] of (job.identify ?? []).entries()) {
    for (const key of ['column', 'state', 'postcode'] as const) {
      if (entry[key] === column) return positionOf(['identify', index, key]);
    }
  }
  const at = job.input.key?.indexOf(column) ?? -1;
  if (at === -1) return positionOf(['country', 'column']);
  return positionOf(['input', 'key', at]) ?? positionOf(['input', 'key']);
}

function reuseWithin(
  { companies, misses, people, spread, staleOnFailure }: Job['reuse'],
  companiesMs: number,
  peopleMs: number,
) {
  return {
    companiesMs: Math.min(companies, companiesMs),
    missesMs: misses,
    peopleMs: Math.min(people, peopleMs),
    spread,
    staleOnFailureMs: Math.min(staleOnFailure, companiesMs),
  };
}

function resolveOnCall({ notify, heartbeat }: Job) {
  return {
    notify: notify && { address: secretAddress(notify.url, 'notify.url'), on: notify.on },
    heartbeat: heartbeat ? secretAddress(heartbeat, 'heartbeat') : undefined,
  };
}

function resolveLedgerCare(
  { keepRuns, mustExist, snapshot, every }: Job['ledger'],
  isOwnLedger: boolean,
) {
  return {
    keepRuns,
    mustExist,
    // A snapshot must not replace a ledger named by a flag.
    snapshot: snapshot && isOwnLedger ? { address: snapshot, everyMs: every } : undefined,
    otherSnapshot: isOwnLedger ? undefined : snapshot,
  };
}

function refusePeople(services: readonly ResolvedService[], { job, positionOf }: LoadedJob) {
  if (!job.people || services.some((service) => providerOf(service).people)) return;
  const where = positionOf(['people']);
  const providers = services.map(({ provider }) => provider).join(', ');
  const problem = `people: a service of ${providers} has no people; remove this key`;
  throw new DossierError('JOB_INVALID', where ? `${where}: ${problem}` : problem);
}

export interface ResolvedService extends ProvidedService {
  /** Names the service in messages and outputs. */
  readonly name: string;
  readonly formerUrl?: string;
  readonly isSample: boolean;
  readonly key: KeySource;
  /** If below `limits.rate` of the job. */
  readonly rate?: number | 'none';
  /** Limits for all jobs on the ledger. */
  readonly budget?: ServiceBudget;
  /** Other services.yaml that lower its rate or budget. */
  readonly limitedBy?: readonly string[];
  readonly price?: Price | undefined;
  /** If other than `reuse` of the job. */
  readonly reuse?: ReuseTerms;
  readonly share?: SecretAddress | undefined;
}

/** `setIn` is the file that sets the limit. */
export type ServiceBudget = Readonly<
  Partial<Record<'perStart' | 'perDay' | 'perMonth', Limit & { readonly setIn?: string }>>
>;

/** Undefined if the job has a service of its own, or uses the sample data. */
function namedServices(
  { job: { service }, positionOf }: LoadedJob,
  flags: Pick<JobFlags, 'url' | 'keyFile'>,
  options: Parameters<typeof resolveServices>[1],
) {
  if (flags.url === sampleData) return undefined;
  const flag = flags.url !== undefined ? 'url' : flags.keyFile !== undefined ? 'key-file' : '';
  if (hasOwnService(service)) {
    const isUnnamed = flag === '' && positionOf(['service']) === undefined;
    const found = isUnnamed && defaultService(options.jobFolder, options.env);
    return found ? resolveServices([found], options) : undefined;
  }
  if (flag === '') return resolveServices([service].flat(), options);
  const names = [service].flat().join(', ');
  throw new DossierError(
    'USAGE',
    `--${flag} is for the service of a job, but this one names ${names}; change services.yaml instead`,
  );
}

function hasOwnService(
  service: Job['service'],
): service is Extract<Job['service'], { key?: unknown }> {
  return typeof service === 'object' && !Array.isArray(service);
}

interface OwnPlaces {
  readonly env: Environment;
  fromCwd(path: string | undefined): string | undefined;
  fromJob(path: string | undefined): string | undefined;
}

function ownService(
  { job, urlProblem, positionOf }: LoadedJob,
  flags: Pick<JobFlags, 'url' | 'share' | 'keyFile'>,
  { fromCwd, fromJob, env }: OwnPlaces,
): ResolvedService {
  const service = hasOwnService(job.service) ? job.service : Service.parse({});
  const keyFile =
    fromCwd(flags.keyFile) ?? (env[keyVariable] ? undefined : fromJob(service.keyFile));
  const found = serviceUrl(
    [flags.url, env.DOSSIER_URL, urlProblem ? '' : service.url, env[fallbackUrlVariable]],
    urlProblem && `${positionOf(['service', 'url'])}: service.url: ${urlProblem}`,
  );
  const share = sharedAddress(service.share, flags.share, env);
  const provider = providerAt(found.url, service.adapter);
  const named = { ...found, name: inlineName, provider };
  if (provider === 'sample-data') return { ...named, isSample: true, key: { from: 'nowhere' } };
  const name = env[keyVariable] ? keyVariable : (service.key?.slice(2, -1) ?? keyVariable);
  const { price } = service;
  return {
    ...named,
    isSample: false,
    key: keyFile ? { from: 'file', path: keyFile } : { from: 'environment', name },
    price: price && {
      currency: price.currency,
      companyMicros: price.company,
      peopleMicros: price.people,
      charged: price.charged,
    },
    share,
  };
}

function serviceUrl(offered: (string | undefined)[], missing = 'no service is named') {
  const url = offered.find(Boolean);
  if (url === undefined) throw new DossierError('SERVICE_MISSING', missing);
  if (!isServiceUrl(url)) {
    throw new DossierError(
      'SERVICE_MISSING',
      'DOSSIER_URL must be an http(s) URL without user name, password, ? or #',
    );
  }
  return readServiceUrl(url);
}

function sharedAddress(inJob: string | undefined, flag: string | undefined, env: Environment) {
  // The shell has expanded variables, so any dollar sign belongs to the password.
  if (flag !== undefined) {
    const address = secretAddress(flag.replaceAll('$', '$$$$'), '--share', redisAddress);
    // Registers the password for redaction, because `plan` prints command lines.
    address.reveal({});
    return address;
  }
  // An empty variable turns sharing off.
  if (env[shareVariable] !== undefined) {
    return secretAddress(`\${${shareVariable}:-}`, shareVariable, redisAddress);
  }
  return inJob === undefined ? undefined : secretAddress(inJob, 'service.share', redisAddress);
}
