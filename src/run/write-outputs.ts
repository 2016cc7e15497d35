import type { DossierError } from '../errors.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import type { JobRuns } from '../queue/job/job-runs.ts';
import { keepStaleOutcomes } from '../queue/kept/keep-stale.ts';
import { readUnlessPruned, refusePrunedSince } from '../queue/published/choose-run.ts';
import { compareRuns, findEarlier, unchangedIn } from '../records/changes/compare-runs.ts';
import type { ManifestFacts } from '../sinks/manifest.ts';
import type { ExportSummary, ReportOutput } from '../sinks/sink.ts';
import { type RecordSource, writeRecords } from '../sinks/write-records.ts';
import { queueTerms } from './open-run.ts';
import {
  placesToWrite,
  unreachedError,
  type WrittenPlace,
  writePlaces,
} from './places/write-places.ts';

type Ledger = JobRuns['ledger'];

/** What was exported to the first place that was written, and what has become of all places. */
export interface RunExport extends Omit<ExportSummary, 'folder'> {
  /** Where the files are: the first place that was written; null where none was. */
  readonly folder: string | null;
  readonly places: readonly WrittenPlace[];
  /** Says which places could not be reached, and why. */
  readonly unreached: DossierError | undefined;
  /** Answers that could not be exported because their bytes have changed. */
  readonly damagedAnswers: number;
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
  { isReadOnly = false, ...parts }: OutputParts,
): Promise<RunExport> {
  const stored = ledger.runs.get(runId);
  if (!stored) throw new Error(`run ${runId} is not in the ledger`);
  const { held = stored.held, endedAt, signal } = parts;
  const run = { ...stored, held };
  const ended = run.finishedAt ?? endedAt ?? null;
  const earlier = findEarlier(ledger, run);
  // What a run lacks that has not ended is not gone, and a try has only the first rows.
  const base = ended === null || run.rowLimit !== null ? undefined : earlier;
  const damaged = new Set<number>();
  const onDamage = (answerId: number) => void damaged.add(answerId);
  const staleSince = run.lastStartedAt - job.reuse.staleOnFailureMs;
  const recorded = { ...run, endedAt, staleSince };
  const isUnfinished = run.state === 'open' && endedAt === undefined;
  if (isUnfinished && !isReadOnly) {
    ledger.together(() => keepStaleOutcomes(ledger, run, queueTerms(job)));
  }
  if (earlier && run.finishedAt === null && !isReadOnly) {
    keepChangeTimes(ledger, earlier, run, job.reference);
  }
  const read = base ? [run, base] : [run];
  // Each place reads the records anew: that costs time, and no call.
  const openSource = (): RecordSource => ({
    records: ledger.records.of(recorded, onDamage),
    changes: base && compareRuns(ledger, { base, run }, howToCompare(job)),
  });
  const { places, main } = await readUnlessPruned(ledger, read, async () => {
    const confirm = () => refusePrunedSince(ledger, read);
    const told = { ...parts, ended, base, openSource, confirm };
    const written = await writePlaces(placesToWrite(ledger, job, run, told), signal);
    const first = written.find(({ summary }) => summary)?.summary;
    return {
      places: written,
      main: first ?? (await countRecords(openSource(), base ? runName(base) : null, signal)),
    };
  });
  if (damaged.size > 0 && !isReadOnly) {
    ledger.together(() => {
      for (const answerId of damaged) ledger.calls.discardAnswer(answerId);
    });
  }
  if (isUnfinished && !isReadOnly) {
    const { matched, not_found, invalid, failed, open, stale, people } = main.counts;
    const rows = { matched, not_found, invalid, failed, open };
    ledger.together(() => ledger.progress.putWritten(runId, { rows, stale, people }));
  }
  const { tally } = main;
  if (tally && ended !== null && !main.isSame && !isReadOnly) {
    ledger.together(() => ledger.tallies.put(run.job, { runId, tally }));
  }
  const unreached = unreachedError(places);
  return { ...main, places, unreached, damagedAnswers: damaged.size };
}

const rowsInCommit = 1_000;

/** Notes since when the records are so that a run has found as they were: their changed_at stays. */
function keepChangeTimes(ledger: Ledger, base: Run, run: Run, names: ResolvedJob['reference']) {
  const { rows, people } = unchangedIn(ledger, { base, run }, names);
  for (const some of batchesOf(rows, rowsInCommit)) {
    ledger.together(() => ledger.outcomes.setChangedRun(run.id, some));
  }
  for (const some of batchesOf(people, rowsInCommit)) {
    ledger.together(() => {
      for (const { changedRuns, ...company } of some) {
        ledger.searches.setChangedRuns({ runId: run.id, ...company }, changedRuns);
      }
    });
  }
}

/** What there is to say of a result that was written nowhere: its counts alone. */
async function countRecords(
  source: RecordSource,
  changesSince: string | null,
  signal: AbortSignal | undefined,
) {
  const names = { seniority: {}, department: {} };
  const counts = await writeRecords(source, [], names, signal);
  const nothing = { files: [], unchanged: [], removed: [], tally: undefined, isSame: false };
  return { folder: null, changesSince, counts, ...nothing };
}

/** How the runs of a job are compared. */
export function howToCompare({ changes, reference }: Pick<ResolvedJob, 'changes' | 'reference'>) {
  return { include: changes.include, names: reference };
}

/** The items in their order, `size` at a time; the last batch may be shorter. */
function* batchesOf<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
