import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a person has to work with in a folder; newest first, paths as they would be typed. */
export interface Work {
  readonly jobs: readonly string[];
  readonly lists: readonly string[];
}

const jobFolders = ['', 'jobs'];
const jobName = /\.ya?ml$/i;
const listName = /\.(?:csv|tsv|jsonl|ndjson|xlsx)(?:\.gz|\.zst)?$/i;
/** Any YAML lies about in folders; a job names itself and its list. */
const jobKeys = [/^name:/m, /^input:/m];
const largestJob = 256 * 1024;

export function findWork(folder: string): Work {
  return {
    jobs: newestFirst(
      folder,
      jobFolders.flatMap((place) => filesIn(folder, place, jobName)),
    ).filter((path) => isJob(join(folder, path))),
    lists: newestFirst(folder, filesIn(folder, '', listName)),
  };
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
