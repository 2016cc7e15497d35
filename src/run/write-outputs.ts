import { schemaVersion } from '../core/columns/columns.ts';
import { DossierError, exitCodeOf } from '../core/errors.ts';
import type { RowPlan } from '../core/identify/identify-row.ts';
import type { Ledger } from '../engine/ledger/open-ledger.ts';
import { type Run, runName } from '../engine/ledger/runs/runs.ts';
import { readUnlessPruned, refusePrunedSince } from '../engine/queue/choose-run.ts';
import { keepStaleOutcomes } from '../engine/queue/store-answers.ts';
import { formFingerprint } from '../job/job-fingerprint.ts';
import { placesOf, type ResolvedPlace } from '../job/resolve-job.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { compareRuns, findEarlier, isBasePruned, unchangedIn } from '../results/changes.ts';
import { type Manifest, ManifestHead } from '../results/manifest.ts';
import type { SameTally } from '../results/prepare-export.ts';
import { type ExportParts, type PlaceOfRun, preparePlace } from '../results/prepare-place.ts';
import {
  type ExportSummary,
  type PreparedExport,
  type ReceivedRun,
  type RecordSource,
  type ReportText,
  writeRecords,
} from '../results/sink.ts';
import { planColumns } from './list/plan-columns.ts';
import { queueTerms } from './open-run.ts';
import { addressOf, placeOfResult } from './result-places.ts';
import { readRunFacts } from './run-facts.ts';

/** The counts of the first place that was written, and what has become of all places. */
export type RunExport = Awaited<ReturnType<typeof writeOutputs>>;

/** What has become of a result in one of its places. */
export interface WrittenPlace {
  readonly kind: ResolvedPlace['kind'];
  /** A folder or an address, as people may see it. */
  readonly address: string;
  /** What was written; absent where nothing was. */
  readonly summary?: ExportSummary;
  /** Why it could not be written. */
  readonly failed?: DossierError;
  /** Why nothing was to be written there. */
  readonly leftOut?: string;
}

/** A place that a result is to be written to. */
export interface PlaceToWrite extends WrittenPlace {
  /** Absent where it is left out. */
  prepare?(): Promise<PreparedExport>;
}

/** Gives the function that makes the page for people of a run. */
export type OpenReport = (reported: {
  readonly folder: string;
  /** False for a copy that goes to another place, which nobody is told of. */
  readonly isShown?: boolean;
  readonly ledger: Ledger;
  readonly run: Run;
  readonly facts: ManifestHead;
  readonly names: ResolvedJob['reference'];
  /** What the columns of the list are read as, by its first rows; throws where the job names others. */
  readonly planColumns?: (sample: readonly (readonly (string | undefined)[])[]) => RowPlan;
  /** Why the run has not finished, where that is known. */
  readonly stopped?: string | undefined;
}) => ReportText;

export interface OutputParts {
  readonly version: string;
  /** When a run ended that the ledger does not know as finished yet. */
  readonly endedAt?: number;
  /** Why the result is held, or null where it is not; as the ledger says unless given. */
  readonly held?: Run['held'];
  /** What has stopped a run that has not finished. */
  readonly stopped?: string | undefined;
  readonly openReport?: OpenReport | undefined;
  /** Aborted to stop before any file is shown; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Whether files of the same result may be left unread; an export reads every record. */
  readonly mayLeave?: boolean;
}

/** Writes the outputs of a run from the ledger alone. A damaged answer is not shown, and asked anew. */
export async function writeOutputs(
  ledger: Ledger,
  job: ResolvedJob,
  runId: number,
  { mayLeave = false, version, openReport, stopped, ...parts }: OutputParts,
) {
  const stored = ledger.runs.get(runId);
  if (!stored) throw new Error(`run ${runId} is not in the ledger`);
  const { held = stored.held, endedAt, signal } = parts;
  const run = { ...stored, held };
  const { reference: names } = job;
  const ended = run.finishedAt ?? endedAt ?? null;
  const earlier = findEarlier(ledger, run);
  // What a run lacks that has not ended is not gone, and a try has only the first rows.
  const base = ended === null || run.rowLimit !== null ? undefined : earlier;
  const isUnfinished = run.state === 'open' && endedAt === undefined;
  if (isUnfinished) ledger.together(() => keepStaleOutcomes(ledger, run, queueTerms(job)));
  if (earlier && run.finishedAt === null) keepChangeTimes(ledger, earlier, run, names);
  const damaged = new Set<number>();
  const staleSince = run.lastStartedAt - job.reuse.staleOnFailureMs;
  // Each place reads the records anew: that costs time, and no call.
  const openSource = (): RecordSource => ({
    records: ledger.records.of({ ...run, endedAt, staleSince }, (id) => void damaged.add(id)),
    changes: base && compareRuns(ledger, { base, run }, howToCompare(job)),
    since: base ? runName(base) : null,
  });
  const read = base ? [run, base] : [run];
  const catchUp = (received: ReceivedRun) => {
    const last = findRun(ledger, run.job, received);
    if (!last || ended === null || run.rowLimit !== null) return {};
    const { steps, missing } = stepsSince(ledger, run, last);
    const [first] = steps;
    if (missing.length === 0 && first?.run === run) return {};
    read.push(...steps.flatMap((step) => [step.base, step.run]));
    return {
      changes: steps.values().flatMap((step) => compareRuns(ledger, step, howToCompare(job))),
      since: runName(first?.base ?? last),
      runs: steps.map((step) => ({ run: runName(step.run), startedAt: startOf(step.run) })),
      missing,
    };
  };
  const all = placesOf(job);
  const shown = all.find(({ kind }) => kind === 'folder');
  const head = manifestHead(ledger, run, version, ended);
  const toWrite = all.map((place) => {
    const form = formFingerprint(place.kind === 'postgres' ? undefined : place, job, version);
    const facts = { ...head, form };
    const exporting: ExportParts = {
      facts,
      names,
      signal,
      catchUp,
      confirm: () => refusePrunedSince(ledger, read),
      ledger: job.ledger,
      startedAt: new Date(run.lastStartedAt),
      openReport:
        openReport &&
        ((folder) =>
          openReport({
            folder,
            isShown: place === shown,
            ledger,
            // As an export of the finished run will see it.
            run: ended === null ? run : { ...run, finishedAt: ended, state: 'finished' },
            facts,
            names,
            stopped,
            planColumns: (sample) => planColumns(job, run.columns, sample),
          })),
      findSame(last) {
        const isLike = last.complete && last.form === form && last.job === run.job;
        if (!mayLeave || !facts.complete || !isLike) return undefined;
        return findSameResult(ledger, run, last);
      },
    };
    return placeToWrite(place, run, facts.complete, (at) =>
      preparePlace(openSource(), at, exporting),
    );
  });
  const { places, main } = await readUnlessPruned(ledger, read, async () => {
    const written = await writePlaces(toWrite, signal);
    const first = written.find(({ summary }) => summary)?.summary;
    // Of a result that was written nowhere there are its counts alone.
    const countOnly = async () => {
      const counted = await writeRecords(openSource(), [], names, signal);
      return {
        folder: null,
        ...counted,
        files: [],
        unchanged: [],
        tally: undefined,
        isSame: false,
      };
    };
    return { places: written, main: first ?? (await countOnly()) };
  });
  const { tally, isSame, rows, people } = main;
  ledger.together(() => {
    for (const answerId of damaged) ledger.calls.discardAnswer(answerId);
    ledger.progress.putWritten(runId, { rows, people });
    if (tally && ended !== null && !isSame) ledger.tallies.put(run.job, { runId, tally });
  });
  return {
    ...main,
    places,
    /** Says which places could not be reached, and why. */
    unreached: unreachedError(places),
    /** Answers that could not be exported because their bytes have changed. */
    damagedAnswers: damaged.size,
  };
}

/** What the manifest says of a run beside its records. */
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

/**
 * The result that a folder shows, where a run comes to the same: it has the same rows in the same order, and
 * nothing has become different since.
 */
function findSameResult(ledger: Ledger, run: Run, shown: Manifest) {
  const earlier = findRun(ledger, run.job, shown);
  if (!earlier || !isSame(ledger, earlier, run)) return undefined;
  const stored = ledger.tallies.of(run.job);
  const tallied = stored && ledger.runs.get(stored.runId);
  return { tally: tallied && isSame(ledger, tallied, run) ? stored.tally : undefined } as SameTally;
}

/** The run that a destination names. Another ledger may have a run of this name. */
export function findRun(ledger: Ledger, job: string, { run: name, startedAt }: ReceivedRun) {
  const found = ledger.runs.get(Number(name.slice(1)));
  if (found?.job !== job || runName(found) !== name) return undefined;
  const isOther = startedAt !== undefined && startedAt !== startOf(found);
  return isOther ? undefined : found;
}

function startOf({ startedAt }: Run): string {
  return new Date(startedAt).toISOString();
}

/** The runs after `last` up to this one, oldest first, each with the one before it, and those that are pruned. */
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

function isSame(ledger: Ledger, earlier: Run, run: Run): boolean {
  const [first, last] = earlier.id < run.id ? [earlier, run] : [run, earlier];
  return (
    first.listId === last.listId &&
    JSON.stringify(first.columns) === JSON.stringify(last.columns) &&
    first.hasPeople === last.hasPeople &&
    !ledger.outcomes.hasAny(first.id, last.id, run.job)
  );
}

/** A place of a job for the result of a run, or why nothing is to be written there. */
function placeToWrite(
  place: ResolvedPlace,
  run: Run,
  isComplete: boolean,
  prepareAt: (at: PlaceOfRun) => Promise<PreparedExport>,
): PlaceToWrite {
  const to = { kind: place.kind, address: addressOf(place, run) };
  if (place.kind === 'folder') {
    const prepare = async () =>
      await prepareAt({ ...place, path: await placeOfResult(place, run, isComplete) });
    return { ...to, prepare };
  }
  if (place.kind === 's3') {
    // What may be wrong is kept where people look at it, and loaded by nobody.
    if (run.held) return { ...to, leftOut: 'The result is held until it is accepted.' };
    return { ...to, prepare: () => prepareAt(place) };
  }
  const address = place.address.reveal(process.env);
  if (!address) return { ...to, leftOut: 'The variable with its address is empty.' };
  return { ...to, prepare: () => prepareAt({ ...place, address }) };
}

/**
 * Writes a result to all its places. Everything is prepared before the first is shown, folders before the others: what
 * fails in a folder fails as a whole. A place elsewhere that cannot be reached is left out, and undoes nothing.
 */
export async function writePlaces(
  places: readonly PlaceToWrite[],
  signal?: AbortSignal,
): Promise<WrittenPlace[]> {
  const written = new Map<PlaceToWrite, WrittenPlace>();
  const prepared = new Map<PlaceToWrite, PreparedExport>();
  /** By kind; those of one kind as the job has them. */
  const inOrder = async (
    kinds: readonly WrittenPlace['kind'][],
    step: (place: PlaceToWrite) => Promise<unknown>,
  ) => {
    for (const place of kinds.flatMap((kind) => places.filter((one) => one.kind === kind))) {
      try {
        await step(place);
      } catch (error) {
        const { kind, address } = place;
        // A signal is no trouble of a place: it ends the writing, as long as nothing is shown.
        const isOfPlace = error instanceof DossierError && error !== signal?.reason;
        if (kind === 'folder' || !isOfPlace) throw error;
        written.set(place, { kind, address, failed: error });
      }
    }
  };
  try {
    await inOrder(['folder', 's3', 'postgres'], async (place) => {
      const result = await place.prepare?.();
      if (result) prepared.set(place, result);
    });
    signal?.throwIfAborted();
    // Until its COMMIT a database may keep its readers waiting: no store is waited for in between.
    await inOrder(['folder', 'postgres', 's3'], async (place) => {
      const result = prepared.get(place);
      prepared.delete(place);
      if (!result) return;
      const done = await result.commit();
      const outcome = typeof done === 'string' ? { leftOut: done } : { summary: done };
      written.set(place, { kind: place.kind, address: result.place, ...outcome });
    });
  } finally {
    // What could not be taken back is swept by the next that writes there.
    for (const result of prepared.values()) await result.abort().catch(() => {});
  }
  return places.map((place) => written.get(place) ?? place);
}

/** The folders that were written. */
export function foldersIn({ places }: Pick<RunExport, 'places'>): string[] {
  return places.flatMap(({ kind, summary }) =>
    kind === 'folder' && summary ? [summary.folder] : [],
  );
}

/**
 * Places elsewhere that could not be written, as one error; undefined where all were. Of several the highest exit
 * code counts: a wrong password (77) needs a person, a database that is away (69) does not.
 */
function unreachedError(places: readonly WrittenPlace[]): DossierError | undefined {
  const reasons = places.flatMap(({ address, failed }) => {
    if (!failed) return [];
    const { message } = failed;
    // Messages of a store or database say already where it is.
    return /^(?:s3:\/\/|PostgreSQL at )/.test(message) ? [message] : [`${address}: ${message}`];
  });
  const failures = places.flatMap(({ failed }) => failed ?? []);
  const [worst] = failures.sort((one, other) => exitCodeOf(other) - exitCodeOf(one));
  if (!worst) return undefined;
  const message = `the result is in the ledger, but not in all its places: ${reasons.join('; ')}`;
  return new DossierError(worst.code, message, { cause: worst });
}

/** Notes since when the records are so that a run has found as they were: their changed_at stays. */
function keepChangeTimes(ledger: Ledger, base: Run, run: Run, names: ResolvedJob['reference']) {
  const { rows, people } = unchangedIn(ledger, { base, run }, names);
  const runId = run.id;
  inCommits(ledger, rows, (row) => ledger.outcomes.setChangedRun({ runId, ...row }));
  inCommits(ledger, people, ({ changedRuns, ...company }) =>
    ledger.searches.setChangedRuns({ runId, ...company }, changedRuns),
  );
}

const rowsInCommit = 1_000;

function inCommits<Item>(ledger: Ledger, items: Iterable<Item>, store: (item: Item) => unknown) {
  let some: Item[] = [];
  const commit = () => {
    ledger.together(() => some.forEach(store));
    some = [];
  };
  for (const item of items) if (some.push(item) === rowsInCommit) commit();
  if (some.length > 0) commit();
}

/** How the runs of a job are compared. */
export function howToCompare({ changes, reference }: Pick<ResolvedJob, 'changes' | 'reference'>) {
  return { include: changes.include, names: reference };
}
