import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isCorrectionsFile } from '../job/corrections.ts';

const jobFolders = ['', 'jobs'];
const jobName = /\.ya?ml$/i;
const listName = /\.(?:(?:csv|tsv|jsonl|ndjson|xlsx|parquet)(?:\.gz|\.zst)?|json)$/i;
const jsonName = /\.json$/i;
/** Most JSON files are settings, so only an array of objects counts as a list. */
const arrayOfObjects = /^\uFEFF?\s*\[\s*\{/;
const jobKeys = [/^name:/m, /^input:/m];
const largestJob = 256 * 1024;

export function scanFolder(folder: string) {
  const jobs = newestFirst(
    folder,
    jobFolders.flatMap((subfolder) => filesIn(folder, subfolder, jobName)),
  ).filter((path) => isJob(join(folder, path)));
  return {
    jobs,
    lists: newestFirst(folder, filesIn(folder, '', listName)).filter(
      (path) => !isCorrectionsFile(path) && isList(join(folder, path)),
    ),
  };
}

function filesIn(folder: string, subfolder: string, name: RegExp) {
  try {
    if (!isWithin(folder, subfolder)) return [];
    const files = readdirSync(join(folder, subfolder), { withFileTypes: true });
    return files
      .filter((file) => file.isFile() && name.test(file.name))
      .map((file) => (subfolder === '' ? file.name : `${subfolder}/${file.name}`));
  } catch {
    return [];
  }
}

/** A link may lead out of the folder, but the page may use only the folder that the user opened. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(realpathSync(folder), realpathSync(resolve(folder, path)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Sorts files of the same second by name, because a Git checkout writes many at once. */
function newestFirst(folder: string, paths: readonly string[]) {
  return paths
    .flatMap((path) => {
      const facts = statSync(join(folder, path), { throwIfNoEntry: false });
      return facts ? [{ path, second: Math.floor(facts.mtimeMs / 1_000) }] : [];
    })
    .sort((a, b) => b.second - a.second || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}

export function isList(path: string): boolean {
  if (!listName.test(path)) return false;
  return !jsonName.test(path) || arrayOfObjects.test(beginningOf(path));
}

function beginningOf(path: string) {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(256);
      return bytes.toString('utf8', 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

function isJob(path: string) {
  try {
    if (statSync(path).size > largestJob) return false;
    const text = readFileSync(path, 'utf8');
    return jobKeys.every((key) => key.test(text));
  } catch {
    return false;
  }
}
