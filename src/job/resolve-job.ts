import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { type AdapterId, adapterOf } from '../core/contract/adapters.ts';
import { DossierError } from '../core/errors.ts';
import type { Price } from '../core/runtime/budget/money.ts';
import {
  isListAddress,
  listAddress,
  notLocal,
  shownPath,
} from '../core/runtime/files/local-path.ts';
import { fallbackUrlVariable } from '../core/runtime/terms.ts';
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
  postgresAddress,
  redisAddress,
  type SecretAddress,
  secretAddress,
} from './read-address.ts';
import { isObjectPath } from './schema/fields.ts';
import { Destination } from './schema/output-fields.ts';
import { shareVariable } from './schema/service-fields.ts';
import { isServiceUrl, readServiceUrl } from './service-url.ts';

export const columnFlag = '--column';

const forever = Number.POSITIVE_INFINITY;

export interface JobContext {
  readonly flags: JobFlags;
  readonly env: Environment;
  readonly cwd: string;
}

/** Paths are absolute, times are in milliseconds. Contains no secrets. */
export type ResolvedJob = ReturnType<typeof resolveJob>;

/** Order of precedence: flags, environment, job file, defaults. */
export function resolveJob(loaded: LoadedJob, context: JobContext) {
  const { job } = loaded;
  const { env, cwd } = context;
  const flags = readFlags(context.flags);
  const fromCwd = (path: string | undefined) => (path ? resolve(cwd, path) : undefined);
  const jobFile = fromCwd(loaded.path);
  const jobFolder = jobFile ? dirname(jobFile) : cwd;
  const fromJob = (path: string | undefined) => (path ? resolve(jobFolder, path) : undefined);

  const { path: ownInput, key, corrections, ...options } = job.input;
  const list = listPath(jobFolder, ownInput);
  const reference = referenceNames(job.reference);
  const columns = identifyFlags(context.flags);
  const { companies: companiesMs = forever, people: peopleMs = forever } = job.retain;
  const keyFile =
    fromCwd(flags.keyFile) ?? (env[keyVariable] ? undefined : fromJob(job.service.keyFile));
  const ownLedger =
    fromCwd(env.DOSSIER_LEDGER) ?? fromJob(job.ledger.path) ?? resolve(cwd, 'output/ledger.db');
  const ledger = fromCwd(flags.ledger) ?? ownLedger;
  const resolved = {
    name: job.name,
    file: jobFile,
    service: resolveService(loaded, flags, keyFile, env),
    /** The job's own list; `--input` replaces only `input.path`. */
    list,
    corrections: fromJob(corrections) ?? correctionsPath(jobFile, list, cwd),
    input: {
      /** Absolute path, address without secrets, or `-` for standard input. */
      path: flags.input === undefined ? list : listPath(cwd, flags.input),
      address: listAddress(flags.input ?? ownInput),
      options: { ...options, ...readInputForm(context.flags) },
      key,
      maxRows: flags.limit,
    },
    identify: columns ?? job.identify,
    country: job.country,
    /** `leads.yaml:9:13` or `--column` */
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
    limits: {
      rate: flags.rate ?? job.limits.rate,
      concurrency: flags.concurrency ?? job.limits.concurrency,
      timeoutMs: job.limits.timeout,
      attempts: job.limits.attempts,
      maxWaitMs: job.limits.maxWait,
    },
    budget: {
      ...job.budget,
      perStart: flags.maxCalls ?? job.budget.perStart,
      ...(flags.maxSpend !== undefined && { spendMicros: flags.maxSpend }),
    },
    reuse: refreshedReuse(reuseWithin(job.reuse, companiesMs, peopleMs), flags.refresh),
    suppress: [
      ...(job.suppress ?? []).map((path) => resolve(jobFolder, path)),
      ...(flags.suppress ?? []).map((path) => resolve(cwd, path)),
    ],
    retain: { companiesMs, peopleMs },
    refresh: flags.refresh,
    /** `--output` names other destinations than the job file, for this command only. */
    isElsewhere: flags.output !== undefined && jobFile !== undefined,
    ...resolveDestinations(job, context.flags, cwd, jobFolder, loaded.positionOf),
    expect: Object.values(job.expect).filter((bound) => bound !== undefined),
    changes: job.changes,
    ledger,
    onCall: resolveOnCall(job),
    ledgerCare: resolveLedgerCare(job.ledger, ledger === ownLedger),
  };
  const problem = notLocal(env.DOSSIER_LEDGER ?? '');
  if (flags.ledger === undefined && problem !== undefined) {
    throw new DossierError('LEDGER_TROUBLE', `DOSSIER_LEDGER: ${problem}`);
  }
  if (flags.maxSpend !== undefined) refuseUnpriced(resolved.service, job);
  if (resolved.input.path === ledger) {
    throw new DossierError('JOB_INVALID', `${ledger} cannot be both the input and the ledger`);
  }
  return resolved;
}

function listPath(folder: string, path: string) {
  if (isListAddress(path)) return shownPath(path);
  return path === '-' ? '-' : resolve(folder, path);
}

function positionOfColumn({ job, positionOf }: LoadedJob, column: string) {
  const index = (job.identify ?? []).findIndex((entry) => entry.column === column);
  if (index !== -1) return positionOf(['identify', index, 'column']);
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
    /** Set if the snapshot is unused because a flag names a different ledger. */
    otherSnapshot: isOwnLedger ? undefined : snapshot,
  };
}

function refuseUnpriced({ isSample, price }: ReturnType<typeof resolveService>, { people }: Job) {
  const isPriced =
    price?.companyMicros !== undefined && (!people || price.peopleMicros !== undefined);
  if (isSample || isPriced) return;
  throw new DossierError(
    'USAGE',
    '--max-spend needs prices in service.price; without prices, use --max-calls',
  );
}

function resolveService(
  { job: { service }, urlProblem, positionOf }: LoadedJob,
  flags: Pick<JobFlags, 'url' | 'share'>,
  keyFile: string | undefined,
  env: Environment,
): {
  readonly url: string;
  readonly formerUrl?: string;
  readonly adapter: AdapterId;
  readonly isSample: boolean;
  readonly key: KeySource;
  readonly price?: Price | undefined;
  readonly share?: SecretAddress | undefined;
} {
  const named = serviceUrl(
    [flags.url, env.DOSSIER_URL, urlProblem ? '' : service.url, env[fallbackUrlVariable]],
    urlProblem && `${positionOf(['service', 'url'])}: service.url: ${urlProblem}`,
  );
  const share = sharedAddress(service.share, flags.share, env);
  const adapter = adapterOf(named.url);
  if (adapter === 'sample-data')
    return { ...named, adapter, isSample: true, key: { from: 'nowhere' } };
  const name = env[keyVariable] ? keyVariable : (service.key?.slice(2, -1) ?? keyVariable);
  const { price } = service;
  return {
    ...named,
    adapter,
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

const emptyParts = /(?<!:)\/+(?=\/|$)/g;

type GivenDestination = z.output<typeof Destination>;

export type ResolvedFiles = Omit<GivenDestination, 'path' | 'format' | 'postgres' | 'schema'> & {
  /** Absolute, or `s3://…`. `placesOf` fills in `{date}`, `{run}` and `{job}`. */
  readonly path: string;
  readonly formats: GivenDestination['format'];
};

export type ResolvedDestination =
  | ({ readonly kind: 'folder' } & ResolvedFiles)
  | ({ readonly kind: 's3' } & ResolvedFiles)
  | { readonly kind: 'postgres'; readonly address: SecretAddress; readonly schema: string };

interface JobDestinations {
  /** `isUnused`: the job has no local folder. */
  readonly output: ResolvedFiles & { readonly isUnused?: boolean };
  readonly otherDestinations: readonly ResolvedDestination[];
}

/** `--output` replaces all destinations, but keeps the options of the first file destination. */
function resolveDestinations(
  { output, name }: Job,
  { columns, order, bom, excelSafe, ...others }: JobFlags,
  cwd: string,
  jobFolder: string,
  positionOf: LoadedJob['positionOf'],
): JobDestinations {
  const form = readFlags({ columns, order, bom, excelSafe });
  const flags = readFlags(others);
  const home = resolve(cwd, 'output', name);
  const formed = ({ postgres: _, schema: __, format, ...destination }: GivenDestination) => {
    const { outputDelimiter: delimiter = destination.delimiter } = flags;
    return { ...destination, ...form, delimiter, formats: [...new Set(flags.format ?? format)] };
  };
  const filesAt = (destination: GivenDestination, path = home, from = jobFolder) =>
    isObjectPath(path)
      ? // In a store, `a//b` and `a/b` would be different keys.
        { ...formed(destination), kind: 's3' as const, path: path.replaceAll(emptyParts, '') }
      : { ...formed(destination), kind: 'folder' as const, path: resolve(from, path) };
  const given = [output].flat();
  const model = given.find(({ postgres }) => postgres === undefined) ?? Destination.parse({});
  const written: { key: string; text: string }[] = [];
  const destinations = given.map((destination): ResolvedDestination => {
    const { postgres, schema, path } = destination;
    if (postgres === undefined) {
      const files = filesAt(destination, path);
      written.push({ key: files.path, text: files.path });
      return files;
    }
    written.push({ key: `${postgres} ${schema}`, text: `schema ${schema} of one database` });
    const address = secretAddress(postgres, 'output.postgres', postgresAddress);
    return { kind: 'postgres', address, schema };
  });
  if (flags.output === undefined) refuseEqualDestinations(written, positionOf);
  const named = flags.output === undefined ? destinations : [filesAt(model, flags.output, cwd)];
  const first = named.find((destination) => destination.kind === 'folder');
  return {
    output: first ?? { ...formed(model), path: home, isUnused: true },
    otherDestinations: named.filter((destination) => destination !== first),
  };
}

/** `written` identifies a destination in the job file. It may contain a password. */
function refuseEqualDestinations(
  written: readonly { readonly key: string; readonly text: string }[],
  positionOf: LoadedJob['positionOf'],
) {
  const keys = written.map(({ key }) => key);
  const second = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (second === -1) return;
  const position = positionOf(['output', second]);
  const where = position ? `${position}: ` : '';
  throw new DossierError(
    'JOB_INVALID',
    `${where}output contains ${written[second]?.text} twice: give each destination its own path or schema, or list all formats in one destination`,
  );
}

export function destinationsOf({
  output,
  otherDestinations,
}: JobDestinations): readonly ResolvedDestination[] {
  return output.isUnused
    ? otherDestinations
    : [{ kind: 'folder', ...output }, ...otherDestinations];
}

export function foldersOf(job: JobDestinations): string[] {
  return destinationsOf(job).flatMap((destination) =>
    destination.kind === 'folder' ? destination.path : [],
  );
}
