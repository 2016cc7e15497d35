import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DossierError } from '../../core/errors.ts';
import { openLedger, openNamesToRead } from '../../engine/ledger/open-ledger.ts';
import { serviceOf } from '../../engine/providers/providers.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { fromHere } from '../../platform/files/local-path.ts';
import { dataFolder } from '../../platform/files/user-folder.ts';

/**
 * Why the job uses this ledger. `older`: version 0.9.0 made it beside the list or job. `shared`: 0.9.0
 * preferred DOSSIER_LEDGER to the ledger that the job names, so the runs of the job are there.
 */
export type LedgerPlace = 'named' | 'shared' | 'sample' | 'older' | 'user';

const beside = 'output/ledger.db';
const sample = 'output/sample.db';

/** One per user, so that an answer is paid for once in all folders. */
export function userLedger(): string {
  return join(dataFolder(process.env), 'ledger.db');
}

/** `isSample` is undefined if nothing says which service a past run had. */
export function findLedger(
  job: Pick<ResolvedJob, 'name' | 'ledger' | 'isLedgerNamed' | 'sharedLedger' | 'file' | 'list'>,
  isSample: boolean | undefined,
): { readonly ledger: string; readonly ledgerPlace: LedgerPlace } {
  const { sharedLedger: shared } = job;
  if (job.isLedgerNamed) {
    const isShared = shared && knowsJob(shared, job) && !knowsJob(job.ledger, job);
    if (isShared) return { ledger: shared, ledgerPlace: 'shared' };
    return { ledger: job.ledger, ledgerPlace: 'named' };
  }
  if (shared !== undefined) {
    const older = knowsJob(shared, job)
      ? undefined
      : olderLedgers(job).find((path) => knowsJob(path, job));
    if (older !== undefined) return { ledger: older, ledgerPlace: 'older' };
    return { ledger: shared, ledgerPlace: 'named' };
  }
  const samples = { ledger: resolve(sample), ledgerPlace: 'sample' } as const;
  const own = isSample === true ? samples : findOwn(job);
  if (isSample !== undefined || !existsSync(samples.ledger)) return own;
  using names = openNamesToRead(own.ledger);
  return names?.knows(job.name, job.list).list ? own : samples;
}

function knowsJob(path: string, { name }: Pick<ResolvedJob, 'name'>) {
  if (!existsSync(path)) return false;
  using names = openNamesToRead(path);
  return names?.knows(name, '').job ?? false;
}

function findOwn(job: Pick<ResolvedJob, 'file' | 'list'>) {
  const [older] = olderLedgers(job);
  if (older) return { ledger: older, ledgerPlace: 'older' } as const;
  return { ledger: userLedger(), ledgerPlace: 'user' } as const;
}

function olderLedgers({ file, list }: Pick<ResolvedJob, 'file' | 'list'>) {
  const folders = [process.cwd(), ...[file, list].flatMap((path) => (path ? dirname(path) : []))];
  return folders.map((folder) => resolve(folder, beside)).filter(hasRealRun);
}

function hasRealRun(path: string) {
  if (!existsSync(path)) return false;
  using names = openNamesToRead(path);
  return names?.services().some((service) => serviceOf(service).provider !== 'sample-data');
}

/** Said by `plan`, `run` and the page. */
export function ledgerNotes({
  name,
  ledger,
  sharedLedger,
  ledgerPlace,
  ledgerCare: { snapshot, mustExist },
}: Pick<ResolvedJob, 'name' | 'ledger' | 'sharedLedger' | 'ledgerCare'> & {
  readonly ledgerPlace: LedgerPlace;
}): string[] {
  const shown = fromHere(ledger);
  if (ledgerPlace === 'shared') {
    return [
      `The runs of ${name} are in ${shown} (DOSSIER_LEDGER), so it is used. The ledger that the job names has none. To use that one, run \`dossier ledger merge ${shown} --ledger <its path>\`.`,
    ];
  }
  if (ledgerPlace === 'sample' || mustExist) return [];
  if (ledgerPlace === 'older') {
    return [
      `This folder has its own ledger, ${shown}, so it is used. Other folders share ${fromHere(sharedLedger ?? userLedger())}. To share these answers, run \`dossier ledger merge ${shown}\` and then move ${shown} away.`,
    ];
  }
  using names = snapshot ? undefined : openNamesToRead(ledger);
  const isNew = !snapshot && !names?.services().length;
  return isNew ? [`New, empty ledger: ${shown}.`] : [];
}

/**
 * In the ledger of the user, a job belongs to its file: the runs of another file with the same name
 * would be its history.
 */
export function refuseOtherFile(
  { name, file, list, ledger }: Pick<ResolvedJob, 'name' | 'file' | 'list' | 'ledger'>,
  isAdopted = false,
): void {
  if (file === undefined || isAdopted) return;
  using names = openNamesToRead(ledger);
  const own = realPath(file);
  const owner = names?.fileOf(name);
  const known = names?.knows(name, list);
  const other = owner ?? (known?.list === false ? known.lists[0] : undefined);
  if (other === undefined || other === own) return;
  throw new DossierError(
    'JOB_ELSEWHERE',
    `the ledger ${fromHere(ledger)} has runs of ${name} from ${other}, and ${own} has the same name`,
  );
}

/** A renamed job file keeps its runs. The runs of another file stay with that file. */
export function moveOwner(
  { name, ledger: path }: Pick<ResolvedJob, 'name' | 'ledger'>,
  from: string,
  to: string,
): void {
  using names = openNamesToRead(path);
  if (names?.fileOf(name) !== realPath(from)) return;
  using ledger = openLedger(path);
  ledger.inTransaction(() => ledger.runs.putJobFile(name, realPath(to)));
}

export function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
