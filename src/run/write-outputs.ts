import { schemaVersion } from '../core/columns/columns.ts';
import { DossierError, exitCodeOf } from '../core/errors.ts';
import type { Ledger, Records } from '../engine/ledger/open-ledger.ts';
import { type Run, runName } from '../engine/ledger/runs/runs.ts';
import { readUnlessPruned, refusePrunedSince } from '../engine/queue/choose-run.ts';
import { keepStaleOutcomes } from '../engine/queue/store-answers.ts';
import { formFingerprint } from '../job/job-fingerprint.ts';
import { destinationsOf, type ResolvedDestination } from '../job/resolve-job.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import {
  compareRuns,
  findEarlier,
  isBasePruned,
  type TwoRuns,
  unchangedIn,
} from '../results/changes.ts';
import { type Manifest, ManifestHead } from '../results/manifest.ts';
import {
  type ExportOptions,
  type FileOptions,
  prepareExport,
  type SameTally,
} from '../results/prepare-export.ts';
import {
  type ExportSummary,
  type PreparedExport,
  type ReceivedRun,
  type RecordSource,
  type ReportText,
  writeRecords,
} from '../results/sink.ts';
import type { UploadOptions } from '../results/upload/prepare-upload.ts';
import { addressOf, resultFolder } from './destinations.ts';
import { queueTerms } from './open-run.ts';
import { iso, readRunFacts } from './run-facts.ts';

export type RunExport = Awaited<ReturnType<typeof writeOutputs>>;

export interface WrittenDestination {
  readonly kind: ResolvedDestination['kind'];
  /** Shown to users, so it contains no secrets. */
  readonly address: string;
  readonly summary?: ExportSummary;
  readonly failed?: DossierError;
  readonly leftOut?: string;
}

export interface DestinationToWrite extends WrittenDestination {
  prepare?(): Promise<PreparedExport>;
}

export type OpenReport = (reported: {
  readonly folder: string;
  /** False for extra copies at other destinations, which users do not open. */
  readonly isShown?: boolean;
  readonly ledger: Ledger;
  readonly records: Records;
  readonly run: Run;
  readonly facts: ManifestHead;
  readonly identify: ResolvedJob['identify'];
  readonly stopped?: string | undefined;
}) => ReportText;

export interface OutputParts {
  readonly records: Records;
  readonly version: string;
  /** End of a run that the ledger does not list as finished yet. */
  readonly endedAt?: number;
  readonly held?: Run['held'];
  readonly stopped?: string | undefined;
  readonly openReport?: OpenReport | undefined;
  /** Can stop the export only before the first file is published. */
  readonly signal?: AbortSignal | undefined;
  /** Skip files that already contain the same result. */
  readonly skipsSame?: boolean;
}

/** A damaged answer is left out, and the next run fetches it again. */
export async function writeOutputs(
  ledger: Ledger,
  job: ResolvedJob,
  runId: number,
  { records, skipsSame = false, version, openReport, stopped, ...parts }: OutputParts,
) {
  const stored = ledger.runs.get(runId);
  if (!stored) throw new Error(`run ${runId} is not in the ledger`);
  const { held = stored.held, endedAt, signal } = parts;
  const run = { ...stored, held };
  const { reference: names } = job;
  const finishedAt = run.finishedAt ?? endedAt ?? null;
  const earlier = findEarlier(ledger, run);
  const isUnfinished = run.state === 'open' && endedAt === undefined;
  if (isUnfinished) ledger.inTransaction(() => keepStaleOutcomes(ledger, run, queueTerms(job)));
  if (earlier && run.finishedAt === null)
    keepChangeTimes(ledger, records, { base: earlier, run }, names);

  // An unfinished or `--limit` run lacks rows that are not really gone.
  const isComparable = finishedAt !== null && run.rowLimit === null;
  const source = openRunSource(
    ledger,
    records,
    job,
    run,
    isComparable ? earlier : undefined,
    endedAt,
  );
  const head = manifestHead(ledger, run, version, finishedAt);
  const all = destinationsOf(job);
  const shown = all.find(({ kind }) => kind === 'folder');
  const toWrite = all.map((destination) => {
    const files = destination.kind === 'postgres' ? undefined : destination;
    const form = formFingerprint(files, job, version);
    const facts = { ...head, form };
    const exporting: ExportParts = {
      facts,
      names,
      signal,
      catchUp: isComparable ? source.catchUp : undefined,
      confirm: () => refusePrunedSince(ledger, source.runsRead),
      ledger: job.ledger,
      startedAt: new Date(run.lastStartedAt),
      openReport:
        openReport &&
        ((folder) =>
          openReport({
            folder,
            isShown: destination === shown,
            ledger,
            records,
            run: finishedAt === null ? run : { ...run, finishedAt, state: 'finished' },
            facts,
            identify: job.identify,
            stopped,
          })),
      findSame(last) {
        const isLike = last.complete && last.form === form && last.job === run.job;
        if (!skipsSame || !facts.complete || !isLike) return undefined;
        return findSameResult(ledger, run, last);
      },
    };
    return destinationToWrite(destination, run, source.open, exporting);
  });
  const { destinations, main } = await readUnlessPruned(ledger, source.runsRead, async () => {
    const written = await writeDestinations(toWrite, signal);
    const first = written.find(({ summary }) => summary)?.summary;
    return {
      destinations: written,
      main: first ?? (await countOnly(source.open(), names, signal)),
    };
  });
  const { damaged } = source;
  const { tally, isSame, rows, people } = main;
  ledger.inTransaction(() => {
    for (const answerId of damaged) ledger.calls.discardAnswer(answerId);
    ledger.progress.putWritten(runId, { rows, people });
    if (tally && finishedAt !== null && !isSame) ledger.tallies.put(run.job, { runId, tally });
  });
  return {
    ...main,
    destinations,
    unreached: unreachedError(destinations),
    damagedAnswers: damaged.size,
  };
}

function openRunSource(
  ledger: Ledger,
  records: Records,
  job: ResolvedJob,
  run: Run,
  base: Run | undefined,
  endedAt: number | undefined,
) {
  const damaged = new Set<number>();
  const runsRead = base ? [run, base] : [run];
  const staleSince = run.lastStartedAt - job.reuse.staleOnFailureMs;
  return {
    damaged,
    /** `catchUp` adds the runs that a destination missed. */
    runsRead,
    /** Each destination reads the records again. */
    open: (): RecordSource => ({
      records: records.of({ ...run, endedAt, staleSince }, (id) => void damaged.add(id)),
      changes: base && compareRuns(records, { base, run }, job),
      since: base ? runName(base) : null,
    }),
    /** For a destination that missed the changes of earlier runs. */
    catchUp(received: ReceivedRun) {
      const last = findRun(ledger, run.job, received);
      if (!last) return {};
      const { steps, missing } = stepsSince(ledger, run, last);
      const [first] = steps;
      if (missing.length === 0 && first?.run === run) return {};
      runsRead.push(...steps.flatMap((step) => [step.base, step.run]));
      return {
        changes: steps.values().flatMap((step) => compareRuns(records, step, job)),
        since: runName(first?.base ?? last),
        runs: steps.map((step) => ({ run: runName(step.run), startedAt: iso(step.run.startedAt) })),
        missing,
      };
    },
  };
}

/** Used if no destination got the result. */
async function countOnly(
  source: RecordSource,
  names: ResolvedJob['reference'],
  signal: AbortSignal | undefined,
) {
  const counted = await writeRecords(source, [], names, signal);
  return { ...counted, folder: null, files: [], unchanged: [], tally: undefined, isSame: false };
}

function manifestHead(ledger: Ledger, run: Run, version: string, finishedAt: number | null) {
  return ManifestHead.parse({
    ...readRunFacts(ledger, { ...run, finishedAt }, { isRunning: false }),
    version,
    schemaVersion,
    form: '',
    jobFingerprint: run.jobFingerprint,
    listPath: run.list,
    listFingerprint: run.inputSha256 ?? '',
  });
}

function findSameResult(ledger: Ledger, run: Run, shown: Manifest) {
  const earlier = findRun(ledger, run.job, shown);
  if (!earlier || !isSame(ledger, earlier, run)) return undefined;
  const stored = ledger.tallies.of(run.job);
  const tallied = stored && ledger.runs.get(stored.runId);
  return { tally: tallied && isSame(ledger, tallied, run) ? stored.tally : undefined } as SameTally;
}

/** Compares the start too, because a run of a different ledger may have the same name. */
export function findRun(ledger: Ledger, job: string, { run: name, startedAt }: ReceivedRun) {
  const found = ledger.runs.get(Number(name.slice(1)));
  if (found?.job !== job || runName(found) !== name) return undefined;
  const isOther = startedAt !== undefined && startedAt !== iso(found.startedAt);
  return isOther ? undefined : found;
}

function stepsSince(ledger: Ledger, run: Run, last: Run) {
  const missed = ledger.runs.comparable(run).filter(({ id }) => id > last.id);
  const missing: string[] = [];
  const steps = [...missed.reverse(), run].flatMap((one) => {
    const base = findEarlier(ledger, one);
    if (base && one.prunedAt === null) return [{ base, run: one }];
    if (one !== run || isBasePruned(ledger, run)) missing.push(runName(one));
    return [];
  });
  return { steps, missing };
}

function isSame(ledger: Ledger, earlier: Run, run: Run) {
  const [first, last] = earlier.id < run.id ? [earlier, run] : [run, earlier];
  return (
    first.listId === last.listId &&
    JSON.stringify(first.columns) === JSON.stringify(last.columns) &&
    first.hasPeople === last.hasPeople &&
    !ledger.outcomes.hasAny(first.id, last.id, run.job)
  );
}

type ExportParts = Omit<ExportOptions, 'folder' | keyof FileOptions> &
  Pick<UploadOptions, 'startedAt' | 'ledger'>;

function destinationToWrite(
  destination: ResolvedDestination,
  run: Run,
  openSource: () => RecordSource,
  parts: ExportParts,
): DestinationToWrite {
  const to = { kind: destination.kind, address: addressOf(destination, run) };
  switch (destination.kind) {
    case 'folder':
      return {
        ...to,
        async prepare() {
          const folder = await resultFolder(destination, run, parts.facts.complete);
          return await prepareExport(openSource(), { ...parts, ...destination, folder });
        },
      };
    case 's3':
      // A held result may be wrong, so programs must not find it in the bucket.
      if (run.held) return { ...to, leftOut: 'The result is held until it is accepted.' };
      return {
        ...to,
        async prepare() {
          const { prepareUpload } = await import('../results/upload/prepare-upload.ts');
          return await prepareUpload(openSource(), { ...parts, ...destination });
        },
      };
    case 'postgres': {
      const address = destination.address.reveal(process.env);
      const leftOut = 'The environment variable for the database URL is empty.';
      if (!address) return { ...to, leftOut };
      return {
        ...to,
        async prepare() {
          const { prepareLoad } = await import('../results/postgres/prepare-load.ts');
          return await prepareLoad(openSource(), { ...parts, ...destination, address });
        },
      };
    }
  }
}

/**
 * Prepares everything before publishing anything. An unreachable S3 or PostgreSQL is skipped; a
 * folder's error fails the write.
 */
export async function writeDestinations(
  destinations: readonly DestinationToWrite[],
  signal?: AbortSignal,
): Promise<WrittenDestination[]> {
  const written = new Map<DestinationToWrite, WrittenDestination>();
  const prepared = new Map<DestinationToWrite, PreparedExport>();
  const inOrder = async (
    kinds: readonly WrittenDestination['kind'][],
    step: (destination: DestinationToWrite) => Promise<unknown>,
  ) => {
    for (const destination of kinds.flatMap((kind) =>
      destinations.filter((one) => one.kind === kind),
    )) {
      try {
        await step(destination);
      } catch (error) {
        const { kind, address } = destination;
        // An abort is not an error of the destination.
        const isOfPlace = error instanceof DossierError && error !== signal?.reason;
        if (kind === 'folder' || !isOfPlace) throw error;
        written.set(destination, { kind, address, failed: error });
      }
    }
  };
  try {
    await inOrder(['folder', 's3', 'postgres'], async (destination) => {
      const result = await destination.prepare?.();
      if (result) prepared.set(destination, result);
    });
    signal?.throwIfAborted();
    // PostgreSQL before S3, because other sessions may have to wait until the COMMIT.
    await inOrder(['folder', 'postgres', 's3'], async (destination) => {
      const result = prepared.get(destination);
      prepared.delete(destination);
      if (!result) return;
      const done = await result.commit();
      const outcome = typeof done === 'string' ? { leftOut: done } : { summary: done };
      written.set(destination, { kind: destination.kind, address: result.address, ...outcome });
    });
  } finally {
    for (const result of prepared.values()) await result.abort().catch(() => {});
  }
  return destinations.map((destination) => written.get(destination) ?? destination);
}

export function foldersIn({ destinations }: Pick<RunExport, 'destinations'>): string[] {
  return destinations.flatMap(({ kind, summary }) =>
    kind === 'folder' && summary ? [summary.folder] : [],
  );
}

/**
 * Returns the error with the highest exit code: a wrong password (77), which a person must fix,
 * matters more than an unavailable database (69).
 */
function unreachedError(destinations: readonly WrittenDestination[]) {
  const failures = destinations.flatMap(({ failed }) => failed ?? []);
  const reasons = failures.map(({ message }) => message);
  const [worst] = failures.sort((one, other) => exitCodeOf(other) - exitCodeOf(one));
  if (!worst) return undefined;
  const message = `the result is in the ledger, but not at every destination: ${reasons.join('; ')}`;
  return new DossierError(worst.code, message, { cause: worst });
}

function keepChangeTimes(
  ledger: Ledger,
  records: Records,
  runs: TwoRuns,
  names: ResolvedJob['reference'],
) {
  const unchanged = unchangedIn(records, runs, names);
  const runId = runs.run.id;
  inCommits(ledger, unchanged.rows(), (row) => ledger.outcomes.setChangedRun({ runId, ...row }));
  inCommits(ledger, unchanged.people(), ({ changedRuns, ...company }) =>
    ledger.searches.setChangedRuns({ runId, ...company }, changedRuns),
  );
}

const rowsInCommit = 1_000;

function inCommits<Item>(ledger: Ledger, items: Iterable<Item>, store: (item: Item) => unknown) {
  let some: Item[] = [];
  const commit = () => {
    ledger.inTransaction(() => some.forEach(store));
    some = [];
  };
  for (const item of items) if (some.push(item) === rowsInCommit) commit();
  if (some.length > 0) commit();
}
