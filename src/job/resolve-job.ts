import { basename, dirname, resolve } from 'node:path';
import type { Country } from '../contract/countries.ts';
import { departmentNames, seniorityNames } from '../contract/reference.ts';
import { DossierError } from '../errors.ts';
import { parseDuration } from '../runtime/duration.ts';
import type { Environment } from './expand-variables.ts';
import { isServiceUrl } from './field-checks.ts';
import { type JobFlags, readFlags, readInputForm } from './job-flags.ts';
import type { Job } from './job-schema.ts';
import { keyVariable } from './key-variable.ts';
import { listSearches, type PeopleSearch } from './list-searches.ts';
import type { LoadedJob } from './load-job.ts';
import type { KeySource } from './read-key.ts';
import type { NameTable } from './reference-names.ts';

/** A job with every question settled: absolute paths, milliseconds, ids. It holds no secret. */
export interface ResolvedJob {
  readonly name: string;
  readonly service: { readonly url: 'embedded' | (string & {}); readonly key: KeySource };
  readonly input: {
    /** Absolute, or `-`. */
    readonly path: string;
    readonly options: Omit<Job['input'], 'path'>;
    /** Only this many rows from the beginning. */
    readonly maxRows: number | undefined;
  };
  /** Undefined: to be detected from the input. */
  readonly identify: Job['identify'];
  readonly country: { readonly column: string | undefined; readonly default: Country };
  /** Where the job file names its columns, for messages: `leads.yaml:9:13`. */
  readonly placeOfColumn?: (column: string) => string | undefined;
  readonly people:
    | {
        readonly searches: readonly PeopleSearch[];
        readonly pageSize: number;
        readonly maxPerCompany: number;
      }
    | undefined;
  readonly reference: { readonly seniority: NameTable; readonly department: NameTable };
  readonly onMismatch: Job['onMismatch'];
  readonly limits: {
    readonly rate: number | 'none';
    readonly concurrency: number;
    readonly timeoutMs: number;
    readonly attempts: number;
    readonly maxCalls: number | undefined;
    readonly maxWaitMs: number;
  };
  /** 0 is never, Infinity forever. */
  readonly reuse: {
    readonly companiesMs: number;
    readonly missesMs: number;
    readonly peopleMs: number;
  };
  readonly output: {
    /** Absolute; `{date}` and `{run}` are filled in by `outputFolder`. */
    readonly path: string;
    readonly formats: readonly ('csv' | 'jsonl' | 'parquet')[];
    readonly compress: Job['output']['compress'];
    readonly excelSafe: boolean;
    readonly bom: boolean;
  };
  readonly ledger: string;
}

export interface Surroundings {
  readonly flags: JobFlags;
  readonly env: Environment;
  /** Where the paths of flags, variables and defaults begin. */
  readonly cwd: string;
}

/** Settles a job. A flag comes before the environment, that before the job file, then defaults. */
export function resolveJob(loaded: LoadedJob, around: Surroundings): ResolvedJob {
  const { job, path: jobPath } = loaded;
  const { env, cwd } = around;
  const flags = readFlags(around.flags);
  const fromCwd = (path: string | undefined) => (path ? resolve(cwd, path) : undefined);
  const jobFolder = jobPath ? dirname(resolve(cwd, jobPath)) : cwd;
  const fromJob = (path: string | undefined) => (path ? resolve(jobFolder, path) : undefined);

  const inputPath = flags.input ?? job.input.path;
  const { path: _, ...options } = job.input;
  const url = serviceUrl(flags.url, env.DOSSIER_URL, job.service.url);
  const reference = {
    seniority: { ...seniorityNames, ...job.reference.seniority },
    department: { ...departmentNames, ...job.reference.department },
  };
  const resolved: ResolvedJob = {
    name: job.name,
    service: {
      url,
      key: keySource(job.service, { url, env, keyFile: fromCwd(flags.keyFile), fromJob }),
    },
    input: {
      path:
        inputPath === '-' ? '-' : resolve(flags.input === undefined ? jobFolder : cwd, inputPath),
      options: { ...options, ...readInputForm(around.flags) },
      maxRows: flags.limit,
    },
    identify: job.identify,
    country:
      typeof job.country === 'string' ? { column: undefined, default: job.country } : job.country,
    placeOfColumn: (column) => placeOfColumn(loaded, column),
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
      timeoutMs: shelfLifeMs(job.limits.timeout),
      attempts: job.limits.attempts,
      maxCalls: flags.maxCalls ?? job.limits.maxCalls,
      maxWaitMs: shelfLifeMs(job.limits.maxWait),
    },
    reuse: {
      companiesMs: shelfLifeMs(job.reuse.companies),
      missesMs: shelfLifeMs(job.reuse.misses),
      peopleMs: shelfLifeMs(job.reuse.people),
    },
    output: {
      path: fromCwd(flags.output) ?? fromJob(job.output.path) ?? resolve(cwd, 'output', job.name),
      formats: [...new Set([flags.format ?? job.output.format].flat())],
      compress: job.output.compress,
      excelSafe: job.output.excelSafe,
      bom: job.output.bom,
    },
    ledger:
      fromCwd(flags.ledger ?? env.DOSSIER_LEDGER) ??
      fromJob(job.ledger) ??
      resolve(cwd, 'output/ledger.db'),
  };
  refuseOverwriting(resolved);
  return resolved;
}

function placeOfColumn({ job, placeOf }: LoadedJob, column: string): string | undefined {
  const index = (job.identify ?? []).findIndex((entry) => entry.column === column);
  return placeOf(index === -1 ? ['country', 'column'] : ['identify', index, 'column']);
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
  return url.replace(/\/+$/, '');
}

function keySource(
  { key, keyFile }: Job['service'],
  around: {
    url: string;
    env: Environment;
    keyFile: string | undefined;
    fromJob(path: string | undefined): string | undefined;
  },
): KeySource {
  if (around.url === 'embedded') return { from: 'nowhere' };
  if (around.keyFile) return { from: 'file', path: around.keyFile };
  if (around.env[keyVariable]) return { from: 'environment', name: keyVariable };
  const path = around.fromJob(keyFile);
  if (path) return { from: 'file', path };
  return { from: 'environment', name: key?.slice(2, -1) ?? keyVariable };
}

function shelfLifeMs(written: string | 0): number {
  if (written === 0) return 0;
  return written === 'forever' ? Number.POSITIVE_INFINITY : (parseDuration(written) ?? 0);
}

/** A list that lies where the results go would be replaced by them. */
function refuseOverwriting({ input, output, ledger }: ResolvedJob): void {
  const name = basename(input.path);
  if (dirname(input.path) === output.path && /^(companies|people|rejects)\./.test(name)) {
    throw new DossierError(
      'JOB_INVALID',
      `${input.path} would be overwritten by the results; choose another output.path`,
    );
  }
  if (ledger === input.path) {
    throw new DossierError('JOB_INVALID', `${ledger} cannot be both the input and the ledger`);
  }
}
