import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DossierError, type ErrorCode } from '../../../core/errors.ts';
import type { ListAddress, ListPlace } from '../../../core/runtime/files/local-path.ts';
import { siblingModule } from '../../../core/runtime/thread/thread.ts';
import type { InputOptions } from '../../../lists/open-input.ts';
import type { ListReading } from '../../overview/list-reading.ts';
import {
  describeList,
  inspectSample,
  type ListFindings,
  type ListSample,
  type ReadJob,
  sampleList,
} from '../../overview/lists.ts';

/** These are read from the start, however long they are. A workbook is unpacked whole, and Parquet in large pages. */
const streamed = /\.(?:csv|tsv|txt|jsonl|ndjson|json)(?:\.gz|\.zst)?$/i;
const smallBytes = 1024 * 1024;
/** Each cell is tried as every kind of identifier: this many take 150 ms, as long as a process needs to start. */
const fewCells = 15_000;

/** Work on a list that is given to a process of its own. */
export type ApartWork =
  | { readonly path: string; readonly form: InputOptions }
  | { readonly inspect: ListSample }
  | { readonly describe: readonly [job: ReadJob, sample: ListSample, columns: readonly string[]] };

/**
 * Reads the first rows of a list. A large workbook or Parquet file is read in a process of its own: it needs seconds in
 * which the server would not answer, and memory that it would not give back.
 */
export async function takeSample(place: ListPlace, form: InputOptions = {}): Promise<ListSample> {
  if (typeof place !== 'string') return await sampleOnce(place, form);
  const bytes = statSync(place, { throwIfNoEntry: false })?.size ?? 0;
  if (streamed.test(place) || bytes <= smallBytes) return await sampleList(place, form);
  return await sampleApart({ path: place, form });
}

/** The columns of a list, and which of them identify companies. */
export async function inspectSampled(sample: ListSample): Promise<ListFindings> {
  return isSmall(sample) ? inspectSample(sample) : await workApart({ inspect: sample });
}

/** What the page shows of a list. */
export async function describeSampled(
  { input: { key }, identify, country }: ReadJob,
  sample: ListSample,
  columns: readonly string[],
): Promise<ListReading> {
  const job = { input: { key }, identify, country };
  if (isSmall(sample)) return describeList(job, sample, columns);
  return await workApart({ describe: [job, sample, columns] });
}

function isSmall({ header, rows }: ListSample): boolean {
  return header.length * rows.length <= fewCells;
}

/** The page reads a list again after each choice; one at an address is fetched once a minute. */
const keptMs = 60_000;
const kept = new Map<string, { readonly sample: Promise<ListSample>; readonly at: number }>();

async function sampleOnce(address: ListAddress, form: InputOptions): Promise<ListSample> {
  const work = { path: address.reveal(), form };
  const key = JSON.stringify(work);
  const now = performance.now();
  for (const [other, { at }] of kept) if (now - at > keptMs) kept.delete(other);
  const { sample = sampleApart(work) } = kept.get(key) ?? {};
  if (!kept.has(key)) kept.set(key, { sample, at: now });
  try {
    return await sample;
  } catch (error) {
    kept.delete(key);
    throw error;
  }
}

async function sampleApart(work: ApartWork): Promise<ListSample> {
  return withMissingCells(await workApart<ListSample>(work));
}

/** JSON has no undefined, which stands for a cell that a row does not have. */
export function withMissingCells(sample: ListSample): ListSample {
  const rows = sample.rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell) => cell ?? undefined),
  }));
  return { ...sample, rows };
}

type ApartAnswer<Result> =
  | { readonly result: Result }
  | { readonly code: ErrorCode; readonly message: string };

async function workApart<Result>(work: ApartWork): Promise<Result> {
  const script = fileURLToPath(siblingModule(import.meta.url, 'look-apart'));
  const working = promisify(execFile)(process.execPath, [...process.execArgv, script], {
    maxBuffer: 512 * 1024 * 1024,
  });
  // If the process ends before it has read this, its exit says why.
  working.child.stdin?.on('error', () => {}).end(JSON.stringify(work));
  const answer: ApartAnswer<Result> = JSON.parse((await working).stdout);
  if ('code' in answer) throw new DossierError(answer.code, answer.message);
  return answer.result;
}
