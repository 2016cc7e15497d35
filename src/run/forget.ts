import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { valuePattern } from '../core/rules/value-pattern.ts';
import { removeLeftovers } from '../core/runtime/files/atomic-file.ts';
import {
  findInLedger,
  finishForgetting,
  forgetInLedger,
  type Intent,
} from '../engine/ledger/care/forget-ledger.ts';
import { type LedgerFile, openExisting, openToCare } from '../engine/ledger/file/ledger-file.ts';
import { realLedgerPath, tellingTrouble } from '../engine/ledger/file/ledger-path.ts';
import { isLookupSlot, lockJob } from '../engine/ledger/file/locks.ts';
import { type Ledger, openLedger, openLedgerToRead } from '../engine/ledger/open-ledger.ts';
import { isPublished } from '../engine/ledger/runs/runs.ts';
import { foldersOf, placesOf, type ResolvedPlace } from '../job/resolve-job.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { readManifest, removeExport } from '../results/export-folder.ts';
import { dropCorrections } from './corrections.ts';
import { anyHolds, filesBelow, findHolding } from './find-values.ts';
import { readLeftOut } from './open-run.ts';
import { addressOf, requirePlaces } from './result-places.ts';
import { findRun, foldersIn, type OutputParts, writeOutputs } from './write-outputs.ts';

interface ForgetRequest extends Pick<OutputParts, 'version' | 'openReport' | 'signal'> {
  readonly ledger: string;
  /** As `suppressionKeys` gives them. */
  readonly keys: readonly string[];
  /** The jobs of the ledger that are known, by name. */
  readonly jobs: ReadonlyMap<string, ResolvedJob>;
}

/**
 * Forgets identifiers: first in the ledger, then in results, corrections and the tables of the page, last in free pages.
 * The ledger notes what is under way, so a command that was killed is finished by the next.
 */
export async function forget(request: ForgetRequest) {
  const path = realLedgerPath(request.ledger);
  return await tellingTrouble(path, async () => {
    for (const job of request.jobs.values()) requirePlaces(job);
    using file = openToCare(path, true);
    const ran = jobsIn(file);
    const locks: Disposable[] = [];
    try {
      for (const job of ran) locks.push(lockJob(path, job));
      const forgotten = forgetInLedger(file, request.keys, ran);
      const results = await forgetResults(path, forgotten.intent, request, false);
      await removeLeftovers(dirname(path));
      for (const name of await readdir(dirname(path))) {
        const isDisposable = name.startsWith(basename(path)) && disposable.test(name);
        if (isDisposable) await rm(join(dirname(path), name), { recursive: true, force: true });
      }
      finishForgetting(file);
      return await describe(path, ran, request, forgotten, results, () => false);
    } finally {
      for (const lock of locks) lock[Symbol.dispose]();
    }
  });
}

/** Files that a killed process has not uploaded. */
const disposable = /-upload-\d+$/;

/** Says what would be forgotten. Nothing is changed. */
export async function planForgetting(request: ForgetRequest) {
  const path = realLedgerPath(request.ledger);
  return await tellingTrouble(path, async () => {
    using file = openExisting(path);
    const found = findInLedger(file.db, request.keys);
    const intent = { ...found, rowKeys: [] };
    const results = await forgetResults(path, intent, request, true);
    const isOwn = (file: string) => results.own.includes(file) || disposable.test(dirname(file));
    return await describe(path, jobsIn(file), request, { found, intent }, results, isOwn);
  });
}

function jobsIn({ db }: LedgerFile): string[] {
  const ran = db.prepare<[], string>(`select distinct job from run`).pluck().all();
  return ran.filter((job) => !isLookupSlot(job));
}

async function describe(
  path: string,
  ran: readonly string[],
  { jobs }: ForgetRequest,
  { found, intent }: ReturnType<typeof forgetInLedger>,
  { written, removed }: Awaited<ReturnType<typeof forgetResults>>,
  isOwn: (path: string) => boolean,
) {
  const isOfLedger = (file: string) => [path, `${path}-wal`, `${path}-shm`].includes(file);
  const folders = [...jobs.values()].flatMap((job) =>
    foldersOf(job).map((folder) => fixedFolder(folder, job.name)),
  );
  const lists = [...jobs.values()].map(({ list }) => list);
  return {
    ledger: path,
    ...found.counts,
    rows: found.rows.led.length + found.rows.holding.length,
    /** Bundles of answers that cannot be read, and may hold a value. */
    damaged: found.damaged,
    /** Results that were written anew. */
    written,
    /** Results of pruned runs, which cannot be written anew. */
    removed,
    /** Files that hold a value and are the user's: lists, backups, logs. */
    left: await findHolding(
      [dirname(path), ...folders],
      lists,
      intent.keys,
      patternOf(intent),
      (file) => isOfLedger(file) || isOwn(file),
    ),
    /** Jobs whose results may hold a value, and whose job files are not known. */
    unknownJobs: intent.jobs.filter((job) => ran.includes(job) && !jobs.has(job)),
  };
}

/** A result may show a company without the identifier that was given. */
const patternOf = ({ keys, ids }: Intent) => valuePattern([...keys, ...ids]);

/** Writes the results of the jobs anew, wherever they stand. One that cannot be written anew goes if it holds a value. */
async function forgetResults(
  path: string,
  intent: Intent,
  { jobs, ...parts }: ForgetRequest,
  isDryRun: boolean,
) {
  const { jobs: names, rowKeys } = intent;
  const pattern = patternOf(intent);
  const [written, removed, own]: [string[], string[], string[]] = [[], [], []];
  using ledger = isDryRun ? openLedgerToRead(path) : openLedger(path);
  for (const job of names.flatMap((name) => (ledger && jobs.get(name)) ?? [])) {
    if (!isDryRun) ledger?.records.leaveOut((await readLeftOut(job)).leftOut);
    for (const place of placesOf(job)) {
      if (place.kind === 'postgres') {
        const run = ledger?.runs.list(job.name).find((one) => isPublished(one) && !one.prunedAt);
        if (!ledger || !run) continue;
        written.push(addressOf(place, run));
        if (isDryRun) continue;
        await writeAgain(ledger, job, place, run.id, parts);
        const address = place.address.reveal(process.env);
        const { forgetChanges } = await import('../results/postgres/forget-changes.ts');
        if (address)
          await forgetChanges(address, place.schema, { job: job.name, rowKeys, pattern });
        continue;
      }
      for await (const { folder, manifest, remove } of resultsIn(place, job)) {
        const names = [...manifest.files.map(({ name }) => name), 'manifest.json', 'report.html'];
        own.push(...names.map((name) => join(folder, name)));
        const run = ledger && findRun(ledger, job.name, manifest);
        if (ledger && run && run.prunedAt === null) {
          written.push(folder);
          if (isDryRun) continue;
          const formats = [...new Set(manifest.files.map(({ format }) => format))];
          const exported = await writeAgain(ledger, job, { ...place, formats }, run.id, parts);
          // A result that stood aside may have its own place now.
          const isMoved = place.kind === 'folder' && !foldersIn(exported).includes(folder);
          if (isMoved) await remove();
        } else if (await anyHolds(folder, manifest.files, pattern)) {
          removed.push(folder);
          if (!isDryRun) await remove();
        }
      }
    }
    const isForgotten = (text: string) => rowKeys.includes(text) || pattern.test(text);
    if (!isDryRun && job.corrections !== undefined && existsSync(job.corrections)) {
      await dropCorrections(job, ({ row_key, was, now }) => [row_key, was, now].some(isForgotten));
    }
  }
  return { written, removed, own };
}

async function writeAgain(
  ledger: Ledger,
  job: ResolvedJob,
  place: ResolvedPlace,
  runId: number,
  parts: OutputParts,
) {
  const only = { ...job, output: { ...job.output, isLeftOut: true }, otherPlaces: [place] };
  const exported = await writeOutputs(ledger, only, runId, parts);
  if (exported.unreached) throw exported.unreached;
  return exported;
}

/** The results of a job in a place, those of earlier runs and those that are held included. */
async function* resultsIn(place: Exclude<ResolvedPlace, { kind: 'postgres' }>, job: ResolvedJob) {
  if (place.kind === 's3') {
    const { openObjectStore } = await import('../core/objects/open-object-store.ts');
    const { foldersBelow, resultsBelow } = await import('../results/upload/show-result.ts');
    await using store = await openObjectStore();
    const { fixed } = foldersBelow(place.path, { job: job.name, run: '', date: '' });
    yield* resultsBelow(store, fixed, job.name);
    return;
  }
  for await (const path of filesBelow(fixedFolder(place.path, job.name))) {
    if (basename(path) !== 'manifest.json') continue;
    const folder = dirname(path);
    const manifest = await readManifest(folder);
    if (manifest?.job === job.name) {
      yield { folder, manifest, remove: () => removeExport(folder) };
    }
  }
}

/** `out/{date}/{run} → out` */
function fixedFolder(path: string, job: string): string {
  const [fixed = ''] = path.replaceAll('{job}', job).split('{');
  return fixed === path.replaceAll('{job}', job) ? fixed : dirname(`${fixed}x`);
}
