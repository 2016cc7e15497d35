import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DossierError } from '../core/errors.ts';
import { defaultKeepRuns } from '../core/values/defaults.ts';
import { providerOf } from '../engine/providers/providers.ts';
import { isListAddress, listAddress, notLocal, shownPath } from '../platform/files/local-path.ts';
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
import { type Environment, secretAddress } from './read-address.ts';
import { resolveDestinations } from './resolve-destinations.ts';
import {
  columnFlag,
  type JobLedger,
  type JobList,
  type JobResult,
  type JobService,
  type ResolvedJob,
  type ResolvedService,
} from './resolved-job.ts';
import { servicesOfJob } from './services/services-of-job.ts';

const forever = Number.POSITIVE_INFINITY;

export interface JobContext {
  readonly flags: JobFlags;
  readonly env: Environment;
  readonly cwd: string;
}

/** What says how a job is, in this order: flags, environment, job file, defaults. */
function sourcesOf(loaded: LoadedJob, { flags: given, env, cwd }: JobContext) {
  const fromCwd = (path: string | undefined) => (path ? resolve(cwd, path) : undefined);
  const jobFile = fromCwd(loaded.path);
  const jobFolder = jobFile ? dirname(jobFile) : cwd;
  const fromJob = (path: string | undefined) => (path ? resolve(jobFolder, path) : undefined);
  const { job } = loaded;
  const flags = readFlags(given);
  return { loaded, job, given, flags, env, cwd, jobFile, jobFolder, fromCwd, fromJob };
}

type Sources = ReturnType<typeof sourcesOf>;

export function resolveJob(loaded: LoadedJob, context: JobContext): ResolvedJob {
  const sources = sourcesOf(loaded, context);
  const resolved = {
    name: loaded.job.name,
    file: sources.jobFile,
    ...resolveList(sources),
    ...resolveService(sources),
    ...resolveResult(sources),
    ...resolveLedger(sources),
  };
  refuseLedger(resolved, context.flags.ledger === undefined ? context.env.DOSSIER_LEDGER : '');
  refusePeople(resolved.services, loaded);
  return resolved;
}

function resolveList({
  loaded,
  job,
  given,
  flags,
  cwd,
  jobFile,
  jobFolder,
  fromJob,
}: Sources): JobList {
  const { path, key, corrections, ...options } = job.input;
  const list = listPath(jobFolder, path);
  const columns = identifyFlags(given);
  return {
    list,
    corrections: fromJob(corrections) ?? correctionsPath(jobFile, list, cwd),
    input: {
      path: flags.input === undefined ? list : listPath(cwd, flags.input),
      address: listAddress(flags.input ?? path),
      options: { ...options, ...readInputForm(given) },
      key,
      maxRows: flags.limit,
    },
    identify: columns ?? job.identify,
    acceptNames: job.names.accept,
    skipCancelled: flags.skipCancelled ?? job.skipCancelled ?? false,
    country: job.country,
    suppress: [
      ...(job.suppress ?? []).map((file) => resolve(jobFolder, file)),
      ...(flags.suppress ?? []).map((file) => resolve(cwd, file)),
    ],
    positionOfColumn: (column) =>
      columns?.some((entry) => entry.column === column)
        ? columnFlag
        : positionOfColumn(loaded, column),
  };
}

function resolveService({ loaded, job, flags, ...places }: Sources): JobService {
  const reuseOf = (reuse: Job['reuse']) =>
    refreshedReuse(reuseWithin(reuse, retained(job)), flags.refresh);
  const reference = referenceNames(job.reference);
  const { confirmAbove: confirmAboveMicros, ...budget } = job.budget;
  return {
    ...servicesOfJob(loaded, flags, { ...places, reuse: reuseOf }),
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
    refresh: flags.refresh,
  };
}

function resolveResult({ loaded, job, given, flags, cwd, jobFile, jobFolder }: Sources): JobResult {
  return {
    ...resolveDestinations(job, given, cwd, jobFolder, loaded.positionOf),
    retain: retained(job),
    isElsewhere: flags.output !== undefined && jobFile !== undefined,
    expect: Object.values(job.expect).filter((bound) => bound !== undefined),
    changes: job.changes,
    onCall: resolveOnCall(job),
  };
}

/** The ledger that a job names wins over DOSSIER_LEDGER. */
function resolveLedger({ job, flags, env, cwd, jobFolder, fromCwd, fromJob }: Sources): JobLedger {
  const named = fromJob(job.ledger.path);
  const shared = fromCwd(env.DOSSIER_LEDGER);
  const own = named ?? shared ?? ledgerBeside(job.ledger, cwd, jobFolder);
  const ledger = fromCwd(flags.ledger) ?? own;
  return {
    ledger,
    isLedgerNamed: (flags.ledger ?? named) !== undefined || (!shared && isKept(job.ledger)),
    sharedLedger: flags.ledger === undefined ? shared : undefined,
    ledgerCare: resolveLedgerCare(job.ledger, ledger === own),
    register:
      fromCwd(flags.register ?? env.DOSSIER_REGISTER) ??
      fromJob(job.register) ??
      join(dataFolder(env), 'register.db'),
    isRegisterNamed: (flags.register ?? job.register) !== undefined,
  };
}

function retained({ retain: { companies = forever, people = forever } }: Job): JobResult['retain'] {
  return { companiesMs: companies, peopleMs: people };
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
  { companiesMs, peopleMs }: JobResult['retain'],
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
