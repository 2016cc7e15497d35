import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DossierError } from '../../core/errors.ts';
import { type Exclusions, withoutService } from '../../core/rules/suppression.ts';
import {
  type Found as FoundInLedger,
  findInLedger,
} from '../../engine/ledger/care/find-forgotten.ts';
import {
  finishForgetting,
  forgetInLedger,
  type Intent,
} from '../../engine/ledger/care/forget-ledger.ts';
import { openExisting, openForMaintenance } from '../../engine/ledger/file/ledger-file.ts';
import {
  copiesBeforeUpgrade,
  realLedgerPath,
  withLedgerErrorsAsync,
} from '../../engine/ledger/file/ledger-path.ts';
import { lockJobs } from '../../engine/ledger/file/locks.ts';
import { type Ledger, openLedger, openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import {
  destinationsOf,
  foldersOf,
  type ResolvedDestination,
} from '../../job/resolve-destinations.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { readExclusions } from '../../lists/read-suppressed.ts';
import { removeLeftovers } from '../../platform/files/atomic-file.ts';
import { filesBelow } from '../../platform/files/disk.ts';
import { holdMemory } from '../../platform/memory.ts';
import { forgetEntities } from '../../register/forget-entities.ts';
import { createDestination } from '../../results/destinations/create-destination.ts';
import { fixedPart } from '../../results/destinations/places.ts';
import { requireDestinations } from '../export/destinations.ts';
import { type ExportParts, exportRun, findRun } from '../export/export-run.ts';
import { dropCorrections } from '../fix/stored-corrections.ts';
import { anyHolds, findHolding } from './find-values.ts';

interface ForgetOptions extends Pick<ExportParts, 'version' | 'createReport' | 'signal'> {
  readonly ledger: string;
  readonly register: string;
  readonly keys: readonly string[];
  /** Ids that count only if the ledger has them. */
  readonly maybe?: readonly string[];
  readonly jobs: ReadonlyMap<string, ResolvedJob>;
  readonly isDryRun: boolean;
  /** Other files and folders that may contain the data. */
  readonly places: readonly string[];
  /** The Redis stores of the job's services. Absent if it shares no answers. */
  sharedAnswers?(job: ResolvedJob): readonly SharedAnswers[];
}

type Found = Intent & Pick<FoundInLedger, 'search'>;

export interface SharedAnswers {
  readonly name: string;
  forget(found: Found): Promise<void>;
}

/**
 * The ledger comes first and records the progress, so the next `forget` can finish a killed one.
 */
export async function forget(options: ForgetOptions) {
  holdMemory();
  const path = realLedgerPath(options.ledger);
  const { isDryRun, keys, maybe, jobs } = options;
  const folder = dirname(path);
  return await withLedgerErrorsAsync(path, async () => {
    const known = await Array.fromAsync(jobs.values(), async (job) => {
      await requireDestinations(job);
      return { job, exclusions: (await readExclusions(job, options.signal)).exclusions };
    });
    using file = isDryRun ? openExisting(path) : openForMaintenance(path, true);
    using ledger = (isDryRun && openLedgerToRead(path)) || openLedger(path);
    const ran = ledger.runs.jobs();
    using _locks = lockJobs(path, isDryRun ? [] : ran);
    const found = isDryRun
      ? findInLedger(file.db, keys, maybe)
      : forgetInLedger(file, keys, ran, maybe);
    const entities = await forgetEntities(
      options.register,
      found.keys.map(withoutService),
      isDryRun,
    );
    const results = await forgetResults(ledger, found, known, options).catch(throwUnfinished);
    const { written, removed, handled, otherWriters } = results;
    // They cannot be rewritten: no command writes to a ledger of an older version.
    const copies = copiesBeforeUpgrade(path);
    removed.push(...copies);
    handled.push(...copies);
    const uploads = await uploadFolders(path);
    if (isDryRun) {
      for (const upload of uploads) handled.push(...(await Array.fromAsync(filesBelow(upload))));
    } else {
      for (const copy of copies) await rm(copy);
      await removeLeftovers(folder);
      // All jobs are locked, so no active run loses its files.
      for (const upload of uploads) await rm(upload, { recursive: true, force: true });
      finishForgetting(file);
    }
    const outputs = known.flatMap(({ job }) => foldersOf(job).map((at) => fixedPart(at, job.name)));
    const inputs = known.flatMap(({ job: { list, suppress, file: at } }) => [
      ...[list, ...suppress],
      // The page moves lists there.
      ...(at === undefined ? [] : [join(dirname(at), 'removed')]),
    ]);
    const read = ledger.runs.list().map(({ inputPath }) => inputPath);
    const left = await findHolding(
      [...new Set([folder, ...outputs, ...inputs, ...read, ...options.places])],
      [path, `${path}-wal`, `${path}-shm`, options.register, ...handled],
      found.keys,
      found.search.mayHold,
    );
    const { counts, damaged, similar, lists } = found;
    const { tooShort } = found.search;
    const unknownJobs = found.jobs.filter((job) => ran.includes(job) && !jobs.has(job));
    const named = { damaged, similar, lists, tooShort, unknownJobs, otherWriters };
    return {
      ledger: path,
      ...counts,
      entities,
      written: [...new Set(written)],
      removed,
      left,
      ...named,
    };
  });
}

/** Finds upload folders left by killed runs. */
async function uploadFolders(ledger: string) {
  const names = await readdir(dirname(ledger));
  const uploads = names.filter(
    (name) => name.startsWith(`${basename(ledger)}-upload-`) && !name.endsWith('.lock'),
  );
  return uploads.map((name) => join(dirname(ledger), name));
}

/**
 * Writes affected results again, and deletes those whose rows were pruned. A dry run changes
 * nothing, but returns the same `handled` files.
 */
async function forgetResults(
  ledger: Ledger,
  intent: Found,
  known: readonly { readonly job: ResolvedJob; readonly exclusions: Exclusions }[],
  { isDryRun, ...parts }: ForgetOptions,
) {
  const written: string[] = [];
  const removed: string[] = [];
  const handled: string[] = [];
  const otherWriters: string[] = [];
  for (const { job, exclusions } of known) {
    const outputParts = { ...parts, records: ledger.records(exclusions) };
    for (const shared of parts.sharedAnswers?.(job) ?? []) {
      written.push(shared.name);
      if (!isDryRun) await shared.forget(intent);
    }
    for (const given of destinationsOf(job)) {
      const destination = createDestination(given);
      const again: string[] = [];
      for await (const { folder, received, files, remove } of destination.results(job.name)) {
        const isDatabase = files.length === 0;
        const names = [...files.map(({ name }) => name), 'manifest.json', 'report.html'];
        handled.push(...names.map((name) => join(folder, name)));
        const run = findRun(ledger, job.name, received);
        const isWritable = run?.prunedAt === null;
        // An earlier `forget` without this job may have left the value in its files.
        const isConcerned =
          isDatabase ||
          (isWritable && intent.jobs.includes(job.name)) ||
          (await anyHolds(folder, files, intent.search.holds));
        if (!isConcerned) continue;
        (isWritable || isDatabase ? written : removed).push(folder);
        if (!run) otherWriters.push(folder);
        if (isDryRun) continue;
        const formats = [...new Set(files.map(({ format }) => format))];
        const to = { ...given, formats };
        if (isWritable) again.push(...(await writeAgain(ledger, job, to, run.id, outputParts)));
        if (!again.includes(folder)) await remove();
      }
      if (!isDryRun) await destination.forgetRest?.(job.name, intent, again.length > 0);
    }
    if (job.corrections === undefined || !existsSync(job.corrections)) continue;
    handled.push(job.corrections);
    const isForgotten = (text: string) =>
      intent.rowKeys.includes(text) || intent.search.holds(text);
    if (!isDryRun) {
      await dropCorrections(job, ({ row_key, was, now }) => [row_key, was, now].some(isForgotten));
    }
  }
  return { written, removed, handled, otherWriters };
}

/** An export would not finish a forget. */
function throwUnfinished(error: unknown): never {
  if (!(error instanceof DossierError)) throw error;
  const again = 'the same forget again; it finishes what is left';
  const remedy = error.remedy.replace('`dossier export`; it makes no call', again);
  throw new DossierError(error.code, error.message, { cause: error, remedy });
}

async function writeAgain(
  ledger: Ledger,
  job: ResolvedJob,
  destination: ResolvedDestination,
  runId: number,
  parts: ExportParts,
) {
  const only = {
    ...job,
    output: { ...job.output, isUnused: true },
    otherDestinations: [destination],
  };
  const leaving = { ...parts, ifLater: 'leave' } as const;
  const { unreached, destinations } = await exportRun(ledger, only, runId, leaving);
  // Its cause is the error of the destination itself.
  if (unreached) throw unreached.cause;
  return destinations.flatMap(({ summary }) => summary?.folder ?? []);
}
