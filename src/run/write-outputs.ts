import { DossierError } from '../errors.ts';
import type { RowPlan } from '../identify/identify-row.ts';
import { formFingerprint } from '../job/job-fingerprint.ts';
import { placesOf, type ResolvedPlace } from '../job/places/resolve-places.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { keepStaleOutcomes } from '../queue/kept/keep-stale.ts';
import { readUnlessPruned, refusePrunedSince } from '../queue/published/choose-run.ts';
import { findSameResult } from '../queue/published/same-result.ts';
import { schemaVersion } from '../records/columns.ts';
import { compareRuns, findEarlier, unchangedIn } from '../records/compare-runs.ts';
import { answeredCalls } from '../rules/outcomes.ts';
import { savedCalls } from '../rules/saved-calls.ts';
import { totalSpend } from '../rules/total-spend.ts';
import { moneyJson } from '../runtime/budget/money.ts';
import { sampleData } from '../runtime/sample-data.ts';
import type { ManifestFacts } from '../sinks/manifest.ts';
import type { SameTally } from '../sinks/prepare-export.ts';
import { type ExportParts, type PlaceOfRun, preparePlace } from '../sinks/prepare-place.ts';
import type { ExportSummary, PreparedExport, ReportOutput } from '../sinks/sink.ts';
import { type RecordSource, writeRecords } from '../sinks/write-records.ts';
import { planColumns } from './list/plan-columns.ts';
import { queueTerms } from './open-run.ts';
import { addressOf, placeOfResult } from './result-places.ts';

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

/** Opens the sink that makes a page for people of a run. */
export type OpenReport = (reported: {
  readonly folder: string;
  /** False for a copy that goes to another place, which nobody is told of. */
  readonly isShown?: boolean;
  readonly ledger: Ledger;
  readonly run: Run;
  readonly facts: ManifestFacts;
  readonly names: ResolvedJob['reference'];
  /** What the columns of the list are read as, by its first rows; throws where the job names others. */
  readonly planColumns: (sample: readonly (readonly (string | undefined)[])[]) => RowPlan;
  /** Why the run has not finished, where that is known. */
  readonly stopped?: string | undefined;
}) => ReportOutput;

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
  /** The ledger may only be read, so a damaged answer stays in it. */
  readonly isReadOnly?: boolean;
  /** Whether files of the same result may be left unread; an export reads every record. */
  readonly mayLeave?: boolean;
}

/** Writes the outputs of a run from the ledger alone. A damaged answer is not shown, and asked anew. */
export async function writeOutputs(
  ledger: Ledger,
  job: ResolvedJob,
  runId: number,
  { isReadOnly = false, mayLeave = false, version, openReport, stopped, ...parts }: OutputParts,
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
  const change = (work: () => void) => {
    if (!isReadOnly) ledger.together(work);
  };
  if (isUnfinished) change(() => keepStaleOutcomes(ledger, run, queueTerms(job)));
  if (earlier && run.finishedAt === null && !isReadOnly) {
    keepChangeTimes(ledger, earlier, run, names);
  }
  const damaged = new Set<number>();
  const staleSince = run.lastStartedAt - job.reuse.staleOnFailureMs;
  // Each place reads the records anew: that costs time, and no call.
  const openSource = (): RecordSource => ({
    records: ledger.records.of({ ...run, endedAt, staleSince }, (id) => void damaged.add(id)),
    changes: base && compareRuns(ledger, { base, run }, howToCompare(job)),
  });
  const read = base ? [run, base] : [run];
  const all = placesOf(job);
  const shown = all.find(({ kind }) => kind === 'folder');
  const toWrite = all.map((place) => {
    const form = formFingerprint(place.kind === 'postgres' ? undefined : place, job, version);
    const facts = manifestFacts(ledger, run, version, form, ended, base);
    const isShown = place === shown;
    const exporting: ExportParts = {
      facts,
      names,
      signal,
      confirm: () => refusePrunedSince(ledger, read),
      ledger: job.ledger,
      startedAt: new Date(run.lastStartedAt),
      isTry: run.rowLimit !== null,
      openReport:
        openReport &&
        ((folder) =>
          openReport({
            folder,
            isShown,
            ledger,
            run,
            facts,
            names,
            stopped,
            planColumns: (sample) => planColumns(job, run.columns, sample),
          })),
      findSame(last) {
        const isLike = last.complete && last.form === form && last.job.name === run.job;
        if (!mayLeave || !facts.complete || !isLike) return undefined;
        return findSameResult(ledger, run, last.run) as SameTally | undefined;
      },
    };
    return placeToWrite(place, run, ended !== null, (at) =>
      preparePlace(openSource(), at, exporting),
    );
  });
  const { places, main } = await readUnlessPruned(ledger, read, async () => {
    const written = await writePlaces(toWrite, signal);
    const first = written.find(({ summary }) => summary)?.summary;
    return { places: written, main: first ?? (await countRecords(openSource(), base, signal)) };
  });
  const { tally, isSame, counts } = main;
  if (damaged.size > 0) {
    change(() => {
      for (const answerId of damaged) ledger.calls.discardAnswer(answerId);
    });
  }
  if (isUnfinished) {
    const { matched, not_found, invalid, failed, open, stale, people } = counts;
    const rows = { matched, not_found, invalid, failed, open };
    change(() => ledger.progress.putWritten(runId, { rows, stale, people }));
  }
  if (tally && ended !== null && !isSame) {
    change(() => ledger.tallies.put(run.job, { runId, tally }));
  }
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
function manifestFacts(
  ledger: Ledger,
  run: Run,
  version: string,
  form: string,
  endedAt: number | null,
  base: Run | undefined,
): ManifestFacts {
  const { calls } = ledger.counts(run.id);
  const spent = ledger.spend.ofRun(run.id);
  const { requests, money } = totalSpend(spent);
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    sampleData: run.service === sampleData,
    version,
    schemaVersion,
    form,
    complete: endedAt !== null,
    held: run.held && [...run.held],
    run: {
      id: runName(run),
      startedAt: iso(run.startedAt),
      endedAt: endedAt === null ? null : iso(endedAt),
      changesSince: base ? runName(base) : null,
    },
    job: { name: run.job, fingerprint: run.jobFingerprint, list: run.list },
    input: {
      name: run.inputName,
      fingerprint: run.inputSha256 ?? '',
      corrections: run.corrections?.applied ?? 0,
    },
    calls: { made: answeredCalls(calls), failed: calls.failed, saved: savedCalls(calls) },
    ...(spent.length > 0 && { spend: { requests, money: money.map(moneyJson) } }),
  };
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
      const summary = await result?.commit();
      if (!summary) return;
      const { folder: address, notLoaded: leftOut } = summary;
      const outcome = leftOut === undefined ? { summary } : { leftOut };
      written.set(place, { kind: place.kind, address, ...outcome });
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

/** Places elsewhere that could not be written, as one error; undefined where all were. */
function unreachedError(places: readonly WrittenPlace[]): DossierError | undefined {
  const reasons = places.flatMap(({ address, failed }) => {
    if (!failed) return [];
    const { message } = failed;
    // Messages of a store or database say already where it is.
    return /^(?:s3:\/\/|PostgreSQL at )/.test(message) ? [message] : [`${address}: ${message}`];
  });
  if (reasons.length === 0) return undefined;
  return new DossierError(
    'OUTPUT_UNREACHED',
    `the result is in the ledger, but not in all its places: ${reasons.join('; ')}`,
    { cause: places.find(({ failed }) => failed)?.failed },
  );
}

const rowsInCommit = 1_000;

/** Notes since when the records are so that a run has found as they were: their changed_at stays. */
function keepChangeTimes(ledger: Ledger, base: Run, run: Run, names: ResolvedJob['reference']) {
  const { rows, people } = unchangedIn(ledger, { base, run }, names);
  for (const some of batchesOf(rows)) {
    ledger.together(() => {
      for (const row of some) ledger.outcomes.setChangedRun({ runId: run.id, ...row });
    });
  }
  for (const some of batchesOf(people)) {
    ledger.together(() => {
      for (const { changedRuns, ...company } of some) {
        ledger.searches.setChangedRuns({ runId: run.id, ...company }, changedRuns);
      }
    });
  }
}

/** What there is to say of a result that was written nowhere: its counts alone. */
async function countRecords(source: RecordSource, base: Run | undefined, signal?: AbortSignal) {
  const counts = await writeRecords(source, [], { seniority: {}, department: {} }, signal);
  const nothing = { files: [], unchanged: [], removed: [], tally: undefined, isSame: false };
  return { folder: null, changesSince: base ? runName(base) : null, counts, ...nothing };
}

/** How the runs of a job are compared. */
export function howToCompare({ changes, reference }: Pick<ResolvedJob, 'changes' | 'reference'>) {
  return { include: changes.include, names: reference };
}

function* batchesOf<Item>(items: Iterable<Item>): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < rowsInCommit) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
