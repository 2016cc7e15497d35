import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** What a person has to work with in a folder; newest first, paths as they would be typed. */
export interface Work {
  readonly jobs: readonly string[];
  readonly lists: readonly string[];
  /** Whether something may have run; only then is it worth the time to look into ledgers. */
  readonly mayHaveRun: boolean;
}

const jobFolders = ['', 'jobs'];
const jobName = /\.ya?ml$/i;
const listName = /\.(?:csv|tsv|jsonl|ndjson|xlsx)(?:\.gz|\.zst)?$/i;
/** Any YAML lies about in folders; a job names itself and its list. */
const jobKeys = [/^name:/m, /^input:/m];
const ledgerLine = /^ledger:\s*["']?(.+?)["']?\s*(?:\s#.*)?$/m;
const defaultLedger = 'output/ledger.db';
const largestJob = 256 * 1024;

export function findWork(folder: string): Work {
  const jobs = newestFirst(
    folder,
    jobFolders.flatMap((place) => filesIn(folder, place, jobName)),
  ).filter((path) => isJob(join(folder, path)));
  const usualLedger = resolve(folder, process.env.DOSSIER_LEDGER || defaultLedger);
  return {
    jobs,
    lists: newestFirst(folder, filesIn(folder, '', listName)),
    mayHaveRun: existsSync(usualLedger) || jobs.some((path) => hasLedger(join(folder, path))),
  };
}

/** By a glance at the text, since reading a job in earnest takes longer than all the rest. */
function hasLedger(job: string): boolean {
  const [, ledger] = ledgerLine.exec(readFileSync(job, 'utf8')) ?? [];
  if (ledger === undefined) return false;
  return ledger.includes('$') || existsSync(resolve(dirname(job), ledger));
}

function filesIn(folder: string, place: string, name: RegExp): string[] {
  try {
    const files = readdirSync(join(folder, place), { withFileTypes: true });
    return files
      .filter((file) => file.isFile() && name.test(file.name))
      .map((file) => (place === '' ? file.name : `${place}/${file.name}`));
  } catch {
    return [];
  }
}

/** Files of one second, as a checkout writes them, in the order of their names. */
function newestFirst(folder: string, paths: readonly string[]): string[] {
  return paths
    .map((path) => ({ path, second: Math.floor(statSync(join(folder, path)).mtimeMs / 1_000) }))
    .sort((a, b) => b.second - a.second || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}

function isJob(path: string): boolean {
  try {
    if (statSync(path).size > largestJob) return false;
    const text = readFileSync(path, 'utf8');
    return jobKeys.every((key) => key.test(text));
  } catch {
    return false;
  }
}
