import { basename, dirname, resolve } from 'node:path';
import { departmentNames, seniorityNames } from '../contract/reference.ts';
import { DossierError } from '../errors.ts';
import { isListAddress, listAddress, notLocal, shownPath } from '../runtime/files/local-path.ts';
import { sampleData } from '../runtime/sample-data.ts';
import { fallbackUrlVariable } from '../runtime/terms.ts';
import { type Environment, expandVariables } from './file/expand-variables.ts';
import { type JobFlags, readColumns, readFlags, readInputForm } from './job-flags.ts';
import type { Job } from './job-schema.ts';
import type { LoadedJob } from './load-job.ts';
import { correctionsPath } from './mended/correction.ts';
import { foldersOf, resolvePlaces } from './places/resolve-places.ts';
import { redisAddress, secretAddress } from './read-address.ts';
import { type KeySource, keyVariable } from './read-key.ts';
import { listSearches } from './reference-names.ts';
import { refreshedReuse } from './refresh.ts';
import type { ResolvedJob } from './resolved-job.ts';
import { isServiceUrl } from './schema/fields.ts';
import { ShareKeys, shareVariable } from './schema/service-fields.ts';

/** The place of a column that the command line names. */
export const columnFlag = '--column';

/** What overrides or completes a job from outside its file. */
export interface JobContext {
  readonly flags: JobFlags;
  readonly env: Environment;
  /** The working directory, from which paths of flags, variables and defaults are resolved. */
  readonly cwd: string;
}

/** Flags come first, then the environment, then the job file, then defaults. */
export function resolveJob(loaded: LoadedJob, context: JobContext): ResolvedJob {
  const { job, path: jobPath, urlProblem } = loaded;
  const { env, cwd } = context;
  const flags = readFlags(context.flags);
  const { refresh, rate = job.limits.rate, concurrency = job.limits.concurrency } = flags;
  const fromCwd = (path: string | undefined) => (path ? resolve(cwd, path) : undefined);
  const jobFolder = jobPath ? dirname(resolve(cwd, jobPath)) : cwd;
  const fromJob = (path: string | undefined) => (path ? resolve(jobFolder, path) : undefined);

  const inputPath = flags.input ?? job.input.path;
  const { path: _, key, corrections, maxBytes, timeout, ...options } = job.input;
  const list = listPath(jobFolder, job.input.path);
  const reference = {
    seniority: { ...seniorityNames, ...job.reference.seniority },
    department: { ...departmentNames, ...job.reference.department },
  };
  const columns = readColumns(context.flags);
  const { attempts } = job.limits;
  const { companies, misses, people, spread, staleOnFailure } = job.reuse;
  const { keepRuns, mustExist, snapshot, every } = job.ledger;
  const ownLedger =
    fromCwd(env.DOSSIER_LEDGER) ?? fromJob(job.ledger.path) ?? resolve(cwd, 'output/ledger.db');
  const ledger = fromCwd(flags.ledger) ?? ownLedger;
  const resolved: ResolvedJob = {
    name: job.name,
    service: resolveService(
      job.service,
      serviceUrl(
        [flags.url, env.DOSSIER_URL, urlProblem ? '' : job.service.url, env[fallbackUrlVariable]],
        urlProblem && `${loaded.placeOf(['service', 'url'])}: service.url: ${urlProblem}`,
      ),
      { ...flags, keyFile: fromCwd(flags.keyFile) },
      env,
      fromJob(job.service.keyFile),
    ),
    list,
    corrections: fromJob(corrections) ?? correctionsPath(fromCwd(jobPath), list, cwd),
    input: {
      path: listPath(flags.input === undefined ? jobFolder : cwd, inputPath),
      address: listAddress(inputPath, { maxBytes, timeoutMs: timeout }),
      options: { ...options, ...readInputForm(context.flags) },
      key,
      maxRows: flags.limit,
    },
    identify: columns ?? job.identify,
    country: job.country,
    placeOfColumn: (column) =>
      columns?.some((entry) => entry.column === column)
        ? columnFlag
        : placeOfColumn(loaded, column),
    people: job.people && {
      searches: listSearches(job.people, reference),
      pageSize: job.people.pageSize,
      maxPerCompany: job.people.maxPerCompany,
    },
    reference,
    onMismatch: job.onMismatch,
    limits: {
      rate,
      concurrency,
      timeoutMs: job.limits.timeout,
      attempts,
      maxWaitMs: job.limits.maxWait,
    },
    budget: { ...job.budget, perStart: flags.maxCalls ?? job.budget.perStart },
    reuse: refreshedReuse(
      {
        companiesMs: companies,
        missesMs: misses,
        peopleMs: people,
        spread,
        staleOnFailureMs: staleOnFailure,
      },
      refresh,
    ),
    refresh,
    ...resolvePlaces(job, flags, { cwd, jobFolder }, loaded.placeOf),
    expect: Object.values(job.expect).filter((bound) => bound !== undefined),
    changes: job.changes,
    ledger,
    onCall: {
      notify: job.notify && {
        address: secretAddress(job.notify.url, 'notify.url'),
        on: job.notify.on,
      },
      heartbeat:
        job.heartbeat === undefined ? undefined : secretAddress(job.heartbeat, 'heartbeat'),
    },
    ledgerCare: {
      keepRuns,
      mustExist,
      // A snapshot is of the job's own ledger: one that a flag names instead would be replaced by it.
      ...(snapshot !== undefined &&
        (ledger === ownLedger
          ? { snapshot: { address: snapshot, everyMs: every } }
          : { otherSnapshot: snapshot })),
    },
  };
  const trouble = notLocal(env.DOSSIER_LEDGER ?? '');
  if (flags.ledger === undefined && trouble !== undefined) {
    throw new DossierError('LEDGER_TROUBLE', `DOSSIER_LEDGER: ${trouble}`);
  }
  refuseOverwriting(resolved);
  return resolved;
}

function listPath(folder: string, path: string): string {
  if (isListAddress(path)) return shownPath(path);
  return path === '-' ? '-' : resolve(folder, path);
}

function placeOfColumn({ job, placeOf }: LoadedJob, column: string): string | undefined {
  const index = (job.identify ?? []).findIndex((entry) => entry.column === column);
  if (index !== -1) return placeOf(['identify', index, 'column']);
  const at = job.input.key?.indexOf(column) ?? -1;
  if (at === -1) return placeOf(['country', 'column']);
  return placeOf(['input', 'key', at]) ?? placeOf(['input', 'key']);
}

/** A list in an output folder, named like a result, would be overwritten by the results. */
function refuseOverwriting(job: ResolvedJob): void {
  const { input, ledger, corrections } = job;
  const isResult = /^(companies|people|rejects|changes|workbook)\./.test(basename(input.path));
  const other = corrections === ledger ? 'the ledger' : 'the input';
  const problem =
    isResult && foldersOf(job).includes(dirname(input.path))
      ? `${input.path} would be overwritten by the results; choose another output.path`
      : ledger === input.path
        ? `${ledger} cannot be both the input and the ledger`
        : corrections === input.path || corrections === ledger
          ? `${corrections} cannot be both ${other} and the file of the corrections`
          : undefined;
  if (problem !== undefined) throw new DossierError('JOB_INVALID', problem);
}

/** Address, key, price and share of the service: flags first, then the environment, then the job file. */
function resolveService(
  { key: variable, share, price }: Job['service'],
  url: string,
  flags: Pick<ReturnType<typeof readFlags<JobFlags>>, 'keyFile' | 'share'>,
  env: Environment,
  jobKeyFile: string | undefined,
): ResolvedJob['service'] {
  const shared = sharedAddress(share?.url, flags.share, env);
  if (url === sampleData) {
    const key: KeySource = { from: 'nowhere' };
    return isFilled(shared?.written ?? '', env) ? { url, key, leavesShareOut: true } : { url, key };
  }
  const path = flags.keyFile ?? (env[keyVariable] ? undefined : jobKeyFile);
  const name = env[keyVariable] ? keyVariable : (variable?.slice(2, -1) ?? keyVariable);
  const terms = share ?? ShareKeys.omit({ url: true }).parse({});
  return {
    url,
    key: path === undefined ? { from: 'environment', name } : { from: 'file', path },
    price: price && {
      currency: price.currency,
      companyMicros: price.company,
      peopleMicros: price.people,
      charged: price.charged,
    },
    share: shared && {
      address: shared.address,
      keepMs: { companies: terms.keepCompanies, people: terms.keepPeople },
      maxBytes: terms.memory,
    },
  };
}

function serviceUrl(offered: (string | undefined)[], missing = 'no service is named'): string {
  const url = offered.find(Boolean);
  if (url === undefined) throw new DossierError('SERVICE_MISSING', missing);
  if (!isServiceUrl(url)) {
    throw new DossierError(
      'SERVICE_MISSING',
      'DOSSIER_URL is no http(s) address without user name, password, ? or #',
    );
  }
  // Answers, budgets and the rate belong to the service, however a job spells its address.
  return url === sampleData ? url : new URL(url).href.replace(/\/+$/, '');
}

/** Undefined where nothing is to be shared. Variables of `written` are filled in. */
function sharedAddress(inJob: string | undefined, flag: string | undefined, env: Environment) {
  const named = (written: string, field: string) => ({
    written,
    address: secretAddress(written, field, redisAddress),
  });
  // The shell has filled in the variables of a flag, so that a dollar sign is one of the password.
  if (flag !== undefined) {
    const given = named(flag.replaceAll('$', '$$$$'), '--share');
    // Guards the password at once: commands that a plan advises repeat the command line.
    given.address.reveal({});
    return given;
  }
  // A variable that is empty turns sharing off, and `check` tells it.
  if (env[shareVariable] !== undefined) return named(`\${${shareVariable}:-}`, shareVariable);
  return inJob === undefined ? undefined : named(inJob, 'service.share');
}

function isFilled(written: string, env: Environment): boolean {
  const expansion = expandVariables(written, env);
  return 'text' in expansion && expansion.text.trim() !== '';
}
