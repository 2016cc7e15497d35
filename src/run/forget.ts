import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withSentence } from '../core/errors.ts';
import type { Exclusions } from '../core/rules/suppression.ts';
import { valuePattern } from '../core/rules/value-pattern.ts';
import { removeLeftovers } from '../core/runtime/files/atomic-file.ts';
import { holdMemory } from '../core/runtime/memory.ts';
import {
  findInLedger,
  finishForgetting,
  forgetInLedger,
  type Intent,
} from '../engine/ledger/care/forget-ledger.ts';
import { openExisting, openForMaintenance } from '../engine/ledger/file/ledger-file.ts';
import { realLedgerPath, withLedgerErrorsAsync } from '../engine/ledger/file/ledger-path.ts';
import { lockJob } from '../engine/ledger/file/locks.ts';
import { type Ledger, openLedger, openLedgerToRead } from '../engine/ledger/open-ledger.ts';
import { isPublished } from '../engine/ledger/runs/runs.ts';
import {
  destinationsOf,
  foldersOf,
  type ResolvedDestination,
  type ResolvedJob,
} from '../job/resolve-job.ts';
import { readExclusions } from '../lists/read-suppressed.ts';
import { readManifest, removeExport } from '../results/destinations/folder/export-folder.ts';
import { dropCorrections } from './corrections.ts';
import { addressOf, fixedFolder, requireDestinations } from './destinations.ts';
import { type ExportParts, exportRun, findRun } from './export-run.ts';
import { anyHolds, filesBelow, findHolding } from './find-values.ts';
import { jobNames } from './run-facts.ts';

interface ForgetRequest extends Pick<ExportParts, 'version' | 'openReport' | 'signal'> {
  readonly ledger: string;
  readonly keys: readonly string[];
  readonly jobs: ReadonlyMap<string, ResolvedJob>;
  readonly isDryRun: boolean;
}

/**
 * The ledger comes first and records the progress, so the next `forget` can finish a killed one.
 */
export async function forget(request: ForgetRequest) {
  holdMemory();
  const path = realLedgerPath(request.ledger);
  const { isDryRun, keys, jobs } = request;
  const folder = dirname(path);
  return await withLedgerErrorsAsync(path, async () => {
    const known = await Array.fromAsync(jobs.values(), async (job) => {
      requireDestinations(job);
      return { job, exclusions: (await readExclusions(job, request.signal)).exclusions };
    });
    using file = isDryRun ? openExisting(path) : openForMaintenance(path, true);
    using ledger = (isDryRun && openLedgerToRead(path)) || openLedger(path);
    const ran = jobNames(ledger);
    using locks = new DisposableStack();
    if (!isDryRun) for (const job of ran) locks.use(lockJob(path, job));
    const found = isDryRun ? findInLedger(file.db, keys) : forgetInLedger(file, keys, ran);
    const pattern = valuePattern(found.keys);
    const { written, removed, handled } = await forgetResults(
      ledger,
      found,
      pattern,
      known,
      request,
    );
    const uploads = await uploadFolders(path);
    if (isDryRun) {
      for (const upload of uploads) handled.push(...(await Array.fromAsync(filesBelow(upload))));
    } else {
      await removeLeftovers(folder);
      // All jobs are locked, so no active run loses its files.
      for (const upload of uploads) await rm(upload, { recursive: true, force: true });
      finishForgetting(file);
    }
    const outputs = known.flatMap(({ job }) =>
      foldersOf(job).map((at) => fixedFolder(at, job.name)),
    );
    const left = await findHolding(
      [folder, ...outputs, ...known.map(({ job }) => job.list)],
      [path, `${path}-wal`, `${path}-shm`, ...(isDryRun ? handled : [])],
      found.keys,
      pattern,
    );
    const { counts, damaged } = found;
    const unknownJobs = found.jobs.filter((job) => ran.includes(job) && !jobs.has(job));
    return { ledger: path, ...counts, damaged, written, removed, left, unknownJobs };
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
  intent: Intent,
  pattern: RegExp,
  known: readonly { readonly job: ResolvedJob; readonly exclusions: Exclusions }[],
  { isDryRun, ...parts }: ForgetRequest,
) {
  const [written, removed, handled]: [string[], string[], string[]] = [[], [], []];
  for (const { job, exclusions } of known) {
    const outputParts = { ...parts, records: ledger.records(exclusions) };
    for (const destination of destinationsOf(job)) {
      if (destination.kind === 'postgres') {
        const run = ledger.runs.list(job.name).find((one) => isPublished(one) && !one.prunedAt);
        if (!run) continue;
        written.push(addressOf(destination, run));
        if (isDryRun) continue;
        await writeAgain(ledger, job, destination, run.id, outputParts);
        const address = destination.address.reveal(process.env);
        const { forgetChanges } = await import(
          '../results/destinations/postgres/forget-changes.ts'
        );
        if (address) await forgetChanges(address, destination.schema, job.name, intent);
        continue;
      }
      for await (const { folder, manifest, remove } of resultsIn(destination, job)) {
        const names = [...manifest.files.map(({ name }) => name), 'manifest.json', 'report.html'];
        handled.push(...names.map((name) => join(folder, name)));
        const run = findRun(ledger, job.name, manifest);
        const isWritable = run?.prunedAt === null;
        // An earlier `forget` without this job may have left the value in its files.
        const isConcerned =
          (isWritable && intent.jobs.includes(job.name)) ||
          (await anyHolds(folder, manifest.files, pattern));
        if (!isConcerned) continue;
        (isWritable ? written : removed).push(folder);
        if (isDryRun) continue;
        const formats = [...new Set(manifest.files.map(({ format }) => format))];
        const to = { ...destination, formats };
        const exported = isWritable && (await writeAgain(ledger, job, to, run.id, outputParts));
        const isStill =
          exported && (destination.kind === 's3' || exported.folders.includes(folder));
        if (!isStill) await remove();
      }
    }
    if (job.corrections === undefined || !existsSync(job.corrections)) continue;
    handled.push(job.corrections);
    const isForgotten = (text: string) => intent.rowKeys.includes(text) || pattern.test(text);
    if (!isDryRun) {
      await dropCorrections(job, ({ row_key, was, now }) => [row_key, was, now].some(isForgotten));
    }
  }
  return { written, removed, handled };
}

const unfinished = 'To finish, run the same forget again; `dossier export` is not enough.';

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
  const exported = await exportRun(ledger, only, runId, parts);
  const { unreached } = exported;
  if (unreached) throw withSentence(unreached, unfinished);
  return exported;
}

async function* resultsIn(
  destination: Exclude<ResolvedDestination, { kind: 'postgres' }>,
  job: ResolvedJob,
) {
  if (destination.kind === 's3') {
    const { openObjectStore } = await import('../core/objects/open-object-store.ts');
    const { foldersBelow, resultsBelow } = await import(
      '../results/destinations/s3/show-result.ts'
    );
    await using store = await openObjectStore();
    const { fixed } = foldersBelow(destination.path, { job: job.name, run: '', date: '' });
    yield* resultsBelow(store, fixed, job.name);
    return;
  }
  for await (const path of filesBelow(fixedFolder(destination.path, job.name))) {
    if (basename(path) !== 'manifest.json') continue;
    const folder = dirname(path);
    const manifest = await readManifest(folder);
    if (manifest?.job === job.name) {
      yield { folder, manifest, remove: () => removeExport(folder) };
    }
  }
}
