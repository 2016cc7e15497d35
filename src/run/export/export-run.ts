import { schemaVersion } from '../../core/columns/columns.ts';
import type { Records } from '../../core/columns/run-records.ts';
import type { DossierError } from '../../core/errors.ts';
import type { Warning } from '../../core/rules/warnings.ts';
import { withoutSecrets } from '../../core/values/known-secrets.ts';
import type { Ledger } from '../../engine/ledger/open-ledger.ts';
import { isFinishedWhole, isPublished, type Run, runName } from '../../engine/ledger/runs/runs.ts';
import { keepStaleOutcomes } from '../../engine/queue/complete-calls.ts';
import { readUnlessPruned, refusePrunedSince } from '../../engine/runs/choose-run.ts';
import { formFingerprint } from '../../job/job-fingerprint.ts';
import { destinationsOf } from '../../job/resolve-destinations.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { compareRuns, findEarlier, unchangedIn } from '../../results/compare-runs.ts';
import { createDestination } from '../../results/destinations/create-destination.ts';
import type { SameTally, WriteOptions } from '../../results/destinations/destination.ts';
import { pathValues } from '../../results/destinations/places.ts';
import { type DestinationState, type Manifest, ManifestHead } from '../../results/manifest.ts';
import {
  type ExportSummary,
  type ReceivedRun,
  type RecordSource,
  type ReportText,
  writeRecords,
} from '../../results/sink.ts';
import type { RunTally } from '../../results/tally/run-tally.ts';
import { iso, readDeliveries, readRunFacts } from '../run-facts.ts';
import { queueTerms, staleMsOf } from '../terms-of-job.ts';
import { refuseReplacing } from './own-files.ts';
import {
  destinationToWrite,
  unreachedError,
  type WrittenDestination,
  writeDestinations,
} from './write-destinations.ts';

/** What was written, at the first destination that got it, and what each destination has now. */
export interface RunExport extends Written {
  readonly destinations: readonly (WrittenDestination &
    Pick<DestinationState, 'lastRun' | 'behind'>)[];
}

interface Written extends Omit<ExportSummary, 'folder'> {
  /** Null if no destination got the result. */
  readonly folder: string | null;
  readonly destinations: readonly WrittenDestination[];
  readonly unreached: DossierError | undefined;
  readonly damagedAnswers: ReadonlySet<number>;
}

export type CreateReport = (reported: {
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

export interface ExportParts {
  readonly records: Records;
  readonly version: string;
  /** End of a run that the ledger does not list as finished yet. */
  readonly endedAt?: number;
  readonly held?: Run['held'];
  readonly stopped?: string | undefined;
  readonly createReport?: CreateReport | undefined;
  /** Can stop the export only before the first file is published. */
  readonly signal?: AbortSignal | undefined;
  readonly ifLater?: WriteOptions['ifLater'];
  /** Whether the job's own destinations are written, so the ledger records what they received. */
  readonly isDelivery?: boolean;
  /** Skip files that already contain the same result. */
  readonly skipsSame?: boolean;
}

export async function exportRun(
  ledger: Ledger,
  job: ResolvedJob,
  runId: number,
  parts: ExportParts,
): Promise<RunExport> {
  const stored = ledger.runs.get(runId);
  if (!stored) throw new Error(`run ${runId} is not in the ledger`);
  const { held = stored.held, endedAt = null, records } = parts;
  const finishedAt = stored.finishedAt ?? endedAt;
  const state = finishedAt === null ? stored.state : 'finished';
  // The ledger stores these values after the export, but the files must already have them.
  const run: Run = { ...stored, held, finishedAt, state };
  refuseReplacing(job, run);
  if (stored.finishedAt === null) settleOutcomes(ledger, records, job, run);
  const exported = await writeOutputs(ledger, job, run, parts);
  storeExport(ledger, run, exported);
  const isDelivered = parts.isDelivery && isPublished(run);
  if (isDelivered) ledger.inTransaction(() => recordDeliveries(ledger, run, exported));
  const states = readDeliveries(ledger, run.job, isDelivered ? run : undefined);
  const destinations = exported.destinations.map((destination) => {
    const { lastRun = null, behind = 0 } =
      states.find(({ address }) => address === destination.name) ?? {};
    return { ...destination, lastRun, behind };
  });
  return { ...exported, destinations };
}

function recordDeliveries({ deliveries }: Ledger, run: Run, { destinations }: Written) {
  const tried = destinations.map(({ kind, name, summary, failed, leftOut = null }) => ({
    kind,
    destination: name,
    runId: summary ? run.id : null,
    reason: failed?.code ?? null,
    message: failed ? withoutSecrets(failed.message) : leftOut,
  }));
  deliveries.put(run, tried);
}

/** The files of an unfinished run show stale answers, and when each record last changed. */
function settleOutcomes(ledger: Ledger, records: Records, job: ResolvedJob, run: Run) {
  if (run.state === 'open') {
    ledger.inTransaction(() => keepStaleOutcomes(ledger, run, queueTerms(job)));
  }
  const base = findEarlier(ledger, run);
  if (!base) return;
  const { id: runId } = run;
  const unchanged = unchangedIn(records, { base, run }, job.reference);
  inCommits(ledger, unchanged.rows(), (row) => ledger.outcomes.setChangedRun({ runId, ...row }));
  inCommits(ledger, unchanged.people(), ({ changedRuns, ...company }) =>
    ledger.searches.setChangedRuns({ runId, ...company }, changedRuns),
  );
}

const rowsInCommit = 1_000;

/** Hashing the lines of fewer rows takes less time than starting a thread. */
const longRows = 5_000;

function inCommits<Item>(ledger: Ledger, items: Iterable<Item>, store: (item: Item) => unknown) {
  let some: Item[] = [];
  const commit = () => {
    ledger.inTransaction(() => some.forEach(store));
    some = [];
  };
  for (const item of items) if (some.push(item) === rowsInCommit) commit();
  if (some.length > 0) commit();
}

/** Discards damaged answers, which the export left out, so the next run fetches them again. */
function storeExport(
  ledger: Ledger,
  { id: runId, job, finishedAt }: Run,
  { damagedAnswers, rows, people, warnings, tally, isSame }: Written,
) {
  ledger.inTransaction(() => {
    for (const answerId of damagedAnswers) ledger.calls.discardAnswer(answerId);
    const isPriced = ledger.spend.ofRun(runId).some(({ currency }) => currency !== '');
    const made = isPriced && finishedAt !== null && { made: ledger.calls.madeByKind(runId) };
    ledger.progress.putWritten(runId, { rows, people, warnings, ...made });
    if (tally && finishedAt !== null && !isSame) ledger.tallies.put(job, { runId, tally });
  });
}

/** Only reads the ledger. Damaged answers are left out. */
async function writeOutputs(
  ledger: Ledger,
  job: ResolvedJob,
  run: Run,
  { records, skipsSame = false, version, createReport, stopped, signal, ifLater }: ExportParts,
): Promise<Written> {
  const { reference } = job;
  const source = createRunSource(ledger, records, job, run, version);
  const runFacts = readRunFacts(ledger, run, { isRunning: false });
  const head = manifestHead(ledger, run, version, runFacts);
  const all = destinationsOf(job).map((given) => ({ given, ...createDestination(given) }));
  const shown = all.find(({ stage }) => stage === 'local');
  const toWrite = all.map((destination) => {
    const { given } = destination;
    const form = formFingerprint('formats' in given ? given : undefined, job, version);
    const facts = { ...head, form };
    const isLike = (last: Manifest) => last.complete && last.form === form && last.job === run.job;
    return destinationToWrite(destination, run, source.open, {
      facts,
      reference,
      signal,
      isLong: runFacts.rows.total >= longRows,
      catchUp: (received) => source.catchUp(destination.name, received),
      confirm: () => refusePrunedSince(ledger, source.runsRead),
      ledger: job.ledger,
      isLater: (there) => isLater(ledger, run, there),
      ifLater,
      pathValues: pathValues(run),
      createReport:
        createReport &&
        ((folder) =>
          createReport({
            folder,
            isShown: destination === shown,
            ledger,
            records,
            run,
            facts,
            identify: job.identify,
            stopped,
          })),
      ...(skipsSame &&
        facts.complete && {
          findSame: (last) => (isLike(last) ? findSameResult(ledger, run, last) : undefined),
          findDifference: (last) => (isLike(last) ? source.differenceFrom(last) : undefined),
        }),
    });
  });
  return await readUnlessPruned(ledger, source.runsRead, async () => {
    const destinations = await writeDestinations(toWrite, signal);
    const [first] = destinations.flatMap(({ summary }) => summary ?? []);
    return {
      ...(first ?? {
        ...nothingWritten,
        ...(await writeRecords(source.open(), [], reference, signal)),
      }),
      destinations,
      unreached: unreachedError(destinations),
      damagedAnswers: source.damaged,
    };
  });
}

/** Used if no destination got the result, so its records are only counted. */
const nothingWritten = { folder: null, files: [], unchanged: [], tally: undefined, isSame: false };

function createRunSource(
  ledger: Ledger,
  records: Records,
  job: ResolvedJob,
  run: Run,
  version: string,
) {
  // An unfinished run or a trial lacks rows that are not really gone.
  const isComparable = isFinishedWhole(run);
  const base = isComparable ? findEarlier(ledger, run) : undefined;
  const damaged = new Set<number>();
  const runsRead = base ? [run, base] : [run];
  const staleMs = staleMsOf(job);
  const warnings = goneColumns(ledger, run);
  return {
    damaged,
    /** `catchUp` adds the runs that a destination missed. */
    runsRead,
    /** Each destination reads the records again. */
    open: (): RecordSource => ({
      records: records.ofRun({ ...run, staleMs }, (id) => void damaged.add(id)),
      changes: base && compareRuns(records, { base, run }, job),
      since: base ? runName(base) : null,
      warnings,
    }),
    /** Only with one service, because a service may be renamed. */
    differenceFrom(last: Manifest) {
      const earlier = findRun(ledger, run.job, last);
      const isUsable = earlier && earlier.id < run.id && earlier.prunedAt === null;
      if (!isUsable || run.services.length > 1 || !isLike(earlier, run)) return undefined;
      if (earlier.services[0] !== run.services[0]) return undefined;
      const onDamage = (id: number) => void damaged.add(id);
      const difference = records.difference(earlier, { ...run, onDamage });
      if (!difference) return undefined;
      runsRead.push(earlier);
      return { difference, tally: storedTally(ledger, earlier) };
    },
    /** For a destination that missed earlier runs. Another ledger may have written there since. */
    catchUp(name: string, received: readonly ReceivedRun[]) {
      const { lastRun } =
        readDeliveries(ledger, run.job).find(({ address }) => address === name) ?? {};
      const all = lastRun ? [...received, { run: lastRun }] : received;
      const [last] = all.flatMap((one) => findRun(ledger, run.job, one) ?? []);
      if (!isComparable || !last || last.id >= run.id) return {};
      const missed = ledger.runs.comparable(run).filter(({ id }) => id > last.id);
      const nights = [...missed.reverse(), run].map((one) => ({
        run: one,
        earlier: one.prunedAt === null ? findEarlier(ledger, one) : undefined,
      }));
      const steps = nights.flatMap(({ earlier, run: one }) =>
        earlier ? { base: earlier, run: one } : [],
      );
      const missing = nights.filter(({ earlier }) => !earlier).map((night) => runName(night.run));
      if (missing.length + missed.length === 0) return {};
      runsRead.push(...steps.flatMap((step) => [step.base, step.run]));
      return {
        changes: steps.values().flatMap((step) => compareRuns(records, step, job)),
        since: runName(steps[0]?.base ?? last),
        runs: nights.map(({ earlier, run: one }) => ({
          since: earlier ? runName(earlier) : null,
          facts: coveredFacts(ledger, one, version),
        })),
        missing,
      };
    },
  };
}

/** The first rows of a list may lack columns. */
function goneColumns({ runs }: Ledger, run: Run): Warning[] {
  const [last] = run.kind === 'trial' ? [] : runs.comparable(run);
  if (last?.inputPath !== run.inputPath) return [];
  const gone = last.columns.filter((name) => !run.columns.includes(name));
  const since = `is gone since ${runName(last)}`;
  return gone.map((name) => ({ kind: 'gone_column', name, message: `column ${name} ${since}` }));
}

function manifestHead(
  ledger: Ledger,
  run: Run,
  version: string,
  facts = readRunFacts(ledger, run, { isRunning: false }),
) {
  return ManifestHead.parse({
    ...facts,
    ledgerId: ledger.id,
    destinationsBehind: readDeliveries(ledger, run.job).filter(({ behind }) => behind > 0),
    version,
    schemaVersion,
    form: '',
    jobFingerprint: run.jobFingerprint,
    listPath: run.list,
    listFingerprint: run.inputSha256 ?? '',
    ...(run.registerSources && { registerSources: run.registerSources }),
  });
}

function coveredFacts(ledger: Ledger, run: Run, version: string) {
  const facts = readRunFacts(ledger, run, { isRunning: false });
  const { rows, people } = facts;
  // Warnings of an earlier night are about records that the destination never gets.
  return { ...manifestHead(ledger, run, version, facts), rows, people, warnings: [] };
}

function findSameResult(ledger: Ledger, run: Run, shown: Manifest) {
  const earlier = findRun(ledger, run.job, shown);
  if (!earlier || !isSame(ledger, earlier, run)) return undefined;
  return { tally: storedTally(ledger, run) } as SameTally;
}

/** The tally of the last written run of the job, if it had the same result. */
export function storedTally(ledger: Ledger, run: Run) {
  const stored = ledger.tallies.last(run.job);
  const tallied = stored && ledger.runs.get(stored.runId);
  return tallied && isSame(ledger, tallied, run) ? (stored.tally as RunTally) : undefined;
}

/**
 * A run of a different ledger may have the same name, so the start decides. A restored backup has
 * another id, but the same runs with the same starts.
 */
export function findRun(ledger: Ledger, job: string, received: ReceivedRun) {
  const { run: name, startedAt } = received;
  const candidate = ledger.runs.get(Number(name.slice(1)));
  if (candidate?.job !== job || runName(candidate) !== name) return undefined;
  return (startedAt ?? iso(candidate.startedAt)) === iso(candidate.startedAt)
    ? candidate
    : undefined;
}

/** Clocks may be wrong, so they only order runs of different ledgers. */
function isLater(ledger: Ledger, run: Run, there: ReceivedRun) {
  const known = findRun(ledger, run.job, there);
  if (known) return known.id > run.id;
  // A ledger restored from a copy of its file has lost this run, and a person decides.
  if (there.ledgerId === ledger.id) return true;
  return Date.parse(there.startedAt ?? '') > run.startedAt;
}

/** True if both runs make the same records of the same rows and outcomes. */
function isLike(one: Run, other: Run) {
  return (
    JSON.stringify(one.columns) === JSON.stringify(other.columns) &&
    one.hasPeople === other.hasPeople &&
    // Without one, files have fewer columns.
    (one.registerSources === null) === (other.registerSources === null)
  );
}

function isSame(ledger: Ledger, earlier: Run, run: Run) {
  const [first, last] = earlier.id < run.id ? [earlier, run] : [run, earlier];
  return (
    first.listId === last.listId &&
    isLike(first, last) &&
    !ledger.outcomes.hasAny(first.id, last.id, run.job)
  );
}
