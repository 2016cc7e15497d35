import { basename, dirname, resolve } from 'node:path';
import type { Country } from '../contract/countries.ts';
import { departmentNames, type ReferenceNames, seniorityNames } from '../contract/reference.ts';
import { DossierError } from '../errors.ts';
import { type Price, toMicros } from '../runtime/budget/money.ts';
import { parseDuration } from '../runtime/duration.ts';
import { notLocal } from '../runtime/files/local-path.ts';
import { sampleData } from '../runtime/sample-data.ts';
import type { Environment } from './file/expand-variables.ts';
import { type JobFlags, readColumns, readFlags, readInputForm } from './job-flags.ts';
import type { Job } from './job-schema.ts';
import { listSearches, type PeopleSearch } from './list-searches.ts';
import type { LoadedJob } from './load-job.ts';
import { type SecretAddress, secretAddress } from './read-address.ts';
import { type KeySource, keyVariable } from './read-key.ts';
import { type Refresh, readRefresh, refreshedReuse } from './refresh.ts';
import { type Expectation, listExpectations } from './schema/expectations.ts';
import { isServiceUrl } from './schema/field-checks.ts';
import { defaultLedger } from './schema/ledger-fields.ts';

/** The place of a column that the command line names. */
export const columnFlag = '--column';

/** A job that is ready to run: absolute paths, milliseconds, ids. It holds no secret. */
export interface ResolvedJob {
  readonly name: string;
  readonly service: {
    readonly url: typeof sampleData | (string & {});
    readonly key: KeySource;
    /** Undefined for sample data, which is free. */
    readonly price?: Price | undefined;
  };
  readonly input: {
    /** Absolute, or `-` for standard input. */
    readonly path: string;
    readonly options: Omit<Job['input'], 'path' | 'key'>;
    /** Columns that tell rows apart; undefined where they are to be found. */
    readonly key?: readonly string[] | undefined;
    /** Number of rows to read from the start of the list; undefined for all. */
    readonly maxRows: number | undefined;
  };
  /** The list that the job is for, absolute, or `-`; `--input` may read another in its place. */
  readonly list: string;
  /** Undefined when the columns are to be detected. */
  readonly identify: Job['identify'];
  readonly country: { readonly column: string | undefined; readonly default: Country };
  /** Where a column is named, for messages: `leads.yaml:9:13`, or `--column`. */
  readonly placeOfColumn?: (column: string) => string | undefined;
  readonly people:
    | {
        readonly searches: readonly PeopleSearch[];
        readonly pageSize: number;
        readonly maxPerCompany: number;
      }
    | undefined;
  readonly reference: ReferenceNames;
  readonly onMismatch: Job['onMismatch'];
  readonly limits: {
    readonly rate: number | 'none';
    readonly concurrency: number;
    readonly timeoutMs: number;
    readonly attempts: number;
    readonly maxWaitMs: number;
  };
  /** The most requests that may be charged; undefined where there is no limit. */
  readonly budget: {
    readonly perStart: number | undefined;
    readonly perDay: number | undefined;
    readonly perMonth: number | undefined;
    /** Where days and months begin. */
    readonly timezone: string;
  };
  /** How old an answer may be and still be fresh. 0 is never, Infinity is always. */
  readonly reuse: {
    readonly companiesMs: number;
    readonly missesMs: number;
    readonly peopleMs: number;
    /** Answers live up to this share shorter, each by its call. */
    readonly spread: number;
    /** How old an answer may be that a row keeps where a newer one cannot be had. */
    readonly staleOnFailureMs: number;
    /** For answers that are refused or oversized; as for misses where it is not given. */
    readonly refusedMs?: number;
  };
  /** What is asked again on purpose; `reuse` heeds it. */
  readonly refresh?: Refresh | undefined;
  readonly output: {
    /** Absolute. `outputFolder` fills in `{date}` and `{run}`. */
    readonly path: string;
    readonly formats: readonly ('csv' | 'jsonl' | 'parquet' | 'xlsx')[];
    /** Columns of companies and people, by name, pattern or preset. */
    readonly columns: readonly string[];
    /** Undefined: the usual one of each format. */
    readonly order: Job['output']['order'];
    readonly compress: Job['output']['compress'];
    readonly excelSafe: boolean;
    readonly bom: boolean;
    readonly delimiter: ',' | ';' | '|' | '\t';
    readonly whenIncomplete: Job['output']['whenIncomplete'];
  };
  readonly expect: readonly Expectation[];
  readonly changes: {
    /** Columns that are compared though they move by themselves, by name or pattern. */
    readonly include: readonly string[];
  };
  readonly ledger: string;
  /** Whom a run tells how it goes. */
  readonly onCall: {
    readonly notify:
      | { readonly address: SecretAddress; readonly on: readonly NotifyEvent[] }
      | undefined;
    readonly heartbeat: SecretAddress | undefined;
  };
  readonly ledgerCare: {
    /** Runs of the job whose rows stay in the ledger. */
    readonly keepRuns: number;
    /** A ledger that is not there is an error, and is not made. */
    readonly mustExist: boolean;
  };
}

type NotifyEvent = 'finished' | 'failed' | 'expectation';

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
  const { path: _, key, ...options } = job.input;
  const url = serviceUrl(flags.url, env.DOSSIER_URL, job.service.url);
  const reference = {
    seniority: { ...seniorityNames, ...job.reference.seniority },
    department: { ...departmentNames, ...job.reference.department },
  };
  const delimiter = flags.outputDelimiter ?? job.output.delimiter;
  const columns = readColumns(context.flags);
  const refresh = readRefresh(context.flags.refresh);
  const ledger = ledgerSettings(job.ledger);
  const resolved: ResolvedJob = {
    name: job.name,
    service: {
      url,
      key: keySource(job.service, { url, env, keyFile: fromCwd(flags.keyFile), fromJob }),
      price: url === sampleData ? undefined : priceOf(job.service.price),
    },
    list: listPath(jobFolder, job.input.path),
    input: {
      path: listPath(flags.input === undefined ? jobFolder : cwd, inputPath),
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
    budget: {
      perStart: flags.maxCalls ?? job.budget.perStart,
      perDay: job.budget.perDay,
      perMonth: job.budget.perMonth,
      timezone: job.budget.timezone,
    },
    reuse: refreshedReuse(
      {
        companiesMs: durationMs(job.reuse.companies),
        missesMs: durationMs(job.reuse.misses),
        peopleMs: durationMs(job.reuse.people),
        spread: Number.parseFloat(job.reuse.spread) / 100,
        staleOnFailureMs: durationMs(job.reuse.staleOnFailure),
      },
      refresh,
    ),
    refresh,
    output: {
      path: fromCwd(flags.output) ?? fromJob(job.output.path) ?? resolve(cwd, 'output', job.name),
      formats: [...new Set([flags.format ?? job.output.format].flat())],
      columns: flags.columns ?? [job.output.columns].flat(),
      order: flags.order ?? job.output.order,
      compress: job.output.compress,
      excelSafe: flags.excelSafe ?? job.output.excelSafe,
      bom: flags.bom ?? job.output.bom,
      delimiter: delimiter === 'tab' ? '\t' : delimiter,
      whenIncomplete: job.output.whenIncomplete,
    },
    expect: listExpectations(job.expect),
    changes: { include: [job.changes.include].flat() },
    ledger:
      fromCwd(flags.ledger ?? env.DOSSIER_LEDGER) ??
      fromJob(ledger.path) ??
      resolve(cwd, 'output/ledger.db'),
    onCall: {
      notify: job.notify && {
        address: secretAddress(job.notify.url, 'notify.url'),
        on: [job.notify.on].flat(),
      },
      heartbeat:
        job.heartbeat === undefined ? undefined : secretAddress(job.heartbeat, 'heartbeat'),
    },
    ledgerCare: { keepRuns: ledger.keepRuns, mustExist: ledger.mustExist },
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

function listPath(folder: string, path: string): string {
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

function serviceUrl(...offered: (string | undefined)[]): string {
  const url = offered.find((text) => text !== undefined && text !== '');
  if (url === undefined) throw new DossierError('SERVICE_MISSING', 'no service is named');
  if (!isServiceUrl(url)) {
    throw new DossierError(
      'SERVICE_MISSING',
      'DOSSIER_URL is no http(s) address without user name, password, ? or #',
    );
  }
  if (url === sampleData) return url;
  // Answers, budgets and the rate belong to the service, however a job spells its address.
  return new URL(url).href.replace(/\/+$/, '');
}

function keySource(
  { key, keyFile }: Job['service'],
  given: {
    url: string;
    env: Environment;
    keyFile: string | undefined;
    fromJob(path: string | undefined): string | undefined;
  },
): KeySource {
  if (given.url === sampleData) return { from: 'nowhere' };
  if (given.keyFile) return { from: 'file', path: given.keyFile };
  if (given.env[keyVariable]) return { from: 'environment', name: keyVariable };
  const path = given.fromJob(keyFile);
  if (path) return { from: 'file', path };
  return { from: 'environment', name: key?.slice(2, -1) ?? keyVariable };
}

function priceOf(written: Job['service']['price']): Price | undefined {
  return (
    written && {
      currency: written.currency,
      companyMicros: toMicros(written.company) ?? 0,
      peopleMicros: toMicros(written.people) ?? 0,
      charged: written.charged,
    }
  );
}

function durationMs(written: string | 0): number {
  if (written === 0) return 0;
  return written === 'forever' ? Number.POSITIVE_INFINITY : (parseDuration(written) ?? 0);
}

/** A list in the output folder, named like a result, would be overwritten by the results. */
function refuseOverwriting({ input, output, ledger }: ResolvedJob): void {
  const name = basename(input.path);
  if (
    dirname(input.path) === output.path &&
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
}
