import { basename, dirname, resolve } from 'node:path';
import { departmentNames, seniorityNames } from '../contract/reference.ts';
import { DossierError } from '../errors.ts';
import { parseDuration } from '../runtime/duration.ts';
import { isListAddress, listAddress, notLocal, shownPath } from '../runtime/files/local-path.ts';
import type { Environment } from './file/expand-variables.ts';
import { type JobFlags, readColumns, readFlags, readInputForm } from './job-flags.ts';
import type { Job } from './job-schema.ts';
import { listSearches } from './list-searches.ts';
import type { LoadedJob } from './load-job.ts';
import { correctionsPath } from './mended/corrections-path.ts';
import { foldersOf, resolvePlaces } from './places/resolve-places.ts';
import { secretAddress } from './read-address.ts';
import { refreshedReuse } from './refresh.ts';
import { resolveService } from './resolve-service.ts';
import type { ResolvedJob } from './resolved-job.ts';
import { listExpectations } from './schema/expectations.ts';
import { parseByteSize } from './schema/fields.ts';
import { defaultLedger } from './schema/input-fields.ts';

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
  const { job, path: jobPath } = loaded;
  const { env, cwd } = context;
  const flags = readFlags(context.flags);
  const fromCwd = (path: string | undefined) => (path ? resolve(cwd, path) : undefined);
  const jobFolder = jobPath ? dirname(resolve(cwd, jobPath)) : cwd;
  const fromJob = (path: string | undefined) => (path ? resolve(jobFolder, path) : undefined);

  const inputPath = flags.input ?? job.input.path;
  const { path: _, key, corrections, maxBytes, timeout, ...options } = job.input;
  const list = listPath(jobFolder, job.input.path);
  const { url, share } = flags;
  const keyFile = fromCwd(flags.keyFile);
  const service = resolveService(job.service, { url, keyFile, share, env, fromJob });
  const reference = {
    seniority: { ...seniorityNames, ...job.reference.seniority },
    department: { ...departmentNames, ...job.reference.department },
  };
  const columns = readColumns(context.flags);
  const ledger = ledgerSettings(job.ledger);
  const ownLedger =
    fromCwd(env.DOSSIER_LEDGER) ?? fromJob(ledger.path) ?? resolve(cwd, 'output/ledger.db');
  const resolved: ResolvedJob = {
    name: job.name,
    service,
    list,
    corrections: fromJob(corrections) ?? correctionsPath(fromCwd(jobPath), list, cwd),
    input: {
      path: listPath(flags.input === undefined ? jobFolder : cwd, inputPath),
      address: listAddress(inputPath, {
        maxBytes: parseByteSize(maxBytes) ?? 0,
        timeoutMs: durationMs(timeout),
      }),
      options: { ...options, ...readInputForm(context.flags) },
      key: key === undefined ? undefined : [key].flat(),
      maxRows: flags.limit,
    },
    identify: columns ?? job.identify,
    country:
      typeof job.country === 'string' ? { column: undefined, default: job.country } : job.country,
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
      rate: flags.rate ?? job.limits.rate,
      concurrency: flags.concurrency ?? job.limits.concurrency,
      timeoutMs: durationMs(job.limits.timeout),
      attempts: job.limits.attempts,
      maxWaitMs: durationMs(job.limits.maxWait),
    },
    budget: { ...job.budget, perStart: flags.maxCalls ?? job.budget.perStart },
    reuse: refreshedReuse(
      {
        companiesMs: durationMs(job.reuse.companies),
        missesMs: durationMs(job.reuse.misses),
        peopleMs: durationMs(job.reuse.people),
        spread: Number.parseFloat(job.reuse.spread) / 100,
        staleOnFailureMs: durationMs(job.reuse.staleOnFailure),
      },
      flags.refresh,
    ),
    refresh: flags.refresh,
    ...resolvePlaces(job.output, {
      flags,
      placeOf: loaded.placeOf,
      defaultFolder: resolve(cwd, 'output', job.name),
      fromCwd: (path) => resolve(cwd, path),
      fromJob: (path) => resolve(jobFolder, path),
    }),
    expect: listExpectations(job.expect),
    changes: { include: [job.changes.include].flat() },
    ledger: fromCwd(flags.ledger) ?? ownLedger,
    onCall: {
      notify: job.notify && {
        address: secretAddress(job.notify.url, 'notify.url'),
        on: [job.notify.on].flat(),
      },
      heartbeat:
        job.heartbeat === undefined ? undefined : secretAddress(job.heartbeat, 'heartbeat'),
    },
    ledgerCare: {
      keepRuns: ledger.keepRuns,
      mustExist: ledger.mustExist,
      ...snapshotOf(ledger, (fromCwd(flags.ledger) ?? ownLedger) === ownLedger),
    },
  };
  const trouble = notLocal(env.DOSSIER_LEDGER ?? '');
  if (flags.ledger === undefined && trouble !== undefined) {
    throw new DossierError('LEDGER_TROUBLE', `DOSSIER_LEDGER: ${trouble}`);
  }
  refuseOverwriting(resolved);
  return resolved;
}

/** A path alone stands for a ledger with the defaults. */
function ledgerSettings(ledger: Job['ledger']) {
  return typeof ledger === 'string' ? { ...defaultLedger, path: ledger } : ledger;
}

/** A snapshot is of the job's own ledger: one that a flag names instead would be replaced by it. */
function snapshotOf(
  { snapshot: address, every }: ReturnType<typeof ledgerSettings>,
  isOwn: boolean,
): Pick<ResolvedJob['ledgerCare'], 'snapshot' | 'otherSnapshot'> {
  if (address === undefined) return {};
  return isOwn ? { snapshot: { address, everyMs: durationMs(every) } } : { otherSnapshot: address };
}

function listPath(folder: string, path: string): string {
  if (isListAddress(path)) return shownPath(path);
  return path === '-' ? '-' : resolve(folder, path);
}

function placeOfColumn({ job, placeOf }: LoadedJob, column: string): string | undefined {
  const index = (job.identify ?? []).findIndex((entry) => entry.column === column);
  if (index !== -1) return placeOf(['identify', index, 'column']);
  const { key } = job.input;
  if (key === column) return placeOf(['input', 'key']);
  const place = Array.isArray(key) ? key.indexOf(column) : -1;
  return placeOf(place === -1 ? ['country', 'column'] : ['input', 'key', place]);
}

function durationMs(written: string | 0): number {
  if (written === 0) return 0;
  return written === 'forever' ? Number.POSITIVE_INFINITY : (parseDuration(written) ?? 0);
}

/** A list in an output folder, named like a result, would be overwritten by the results. */
function refuseOverwriting(job: ResolvedJob): void {
  const { input, ledger, corrections } = job;
  const name = basename(input.path);
  if (
    foldersOf(job).includes(dirname(input.path)) &&
    /^(companies|people|rejects|changes|workbook)\./.test(name)
  ) {
    throw new DossierError(
      'JOB_INVALID',
      `${input.path} would be overwritten by the results; choose another output.path`,
    );
  }
  if (ledger === input.path) {
    throw new DossierError('JOB_INVALID', `${ledger} cannot be both the input and the ledger`);
  }
  if (corrections === input.path || corrections === ledger) {
    const other = corrections === ledger ? 'the ledger' : 'the input';
    throw new DossierError(
      'JOB_INVALID',
      `${corrections} cannot be both ${other} and the file of the corrections`,
    );
  }
}
