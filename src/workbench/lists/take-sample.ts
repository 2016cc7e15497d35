import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DossierError, type ErrorCode } from '../../errors.ts';
import type { InputOptions } from '../../input/open-input.ts';
import { type ListSample, sampleList } from '../../overview/lists/sample-list.ts';
import type { ListAddress, ListPlace } from '../../runtime/files/local-path.ts';
import { siblingModule } from '../../runtime/thread/thread.ts';

/** These are read from their beginning, however long they are. A workbook is unpacked as a whole,
 * and Parquet by pages that may be large. */
const streamed = /\.(?:csv|tsv|txt|jsonl|ndjson|json)(?:\.gz|\.zst)?$/i;
const smallBytes = 1024 * 1024;

/**
 * Reads the beginning of a list. A large workbook or Parquet file is read in a process of its own, since it takes seconds
 * in which the server would answer nobody, and memory that it would not give back.
 */
export async function takeSample(place: ListPlace, form: InputOptions = {}): Promise<ListSample> {
  if (typeof place !== 'string') return await sampleOnce(place, form);
  const bytes = statSync(place, { throwIfNoEntry: false })?.size ?? 0;
  if (streamed.test(place) || bytes <= smallBytes) return await sampleList(place, form);
  return await sampleApart({ path: place, form });
}

/** The page reads a list again after each choice, and one at an address need not come as often. */
const keptMs = 60_000;
const kept = new Map<string, { readonly sample: Promise<ListSample>; readonly at: number }>();

/** Nobody knows how large a list at an address is, so that it is always read apart. */
async function sampleOnce(address: ListAddress, form: InputOptions): Promise<ListSample> {
  const { maxBytes, timeoutMs } = address;
  const asked = { path: address.reveal(), form, limits: { maxBytes, timeoutMs } };
  const key = JSON.stringify(asked);
  const now = performance.now();
  for (const [other, { at }] of kept) if (now - at > keptMs) kept.delete(other);
  const { sample = sampleApart(asked) } = kept.get(key) ?? {};
  if (!kept.has(key)) kept.set(key, { sample, at: now });
  try {
    return await sample;
  } catch (error) {
    kept.delete(key);
    throw error;
  }
}

/** What the process that reads a list apart is told. */
export interface AskedSample {
  readonly path: string;
  readonly form: InputOptions;
  readonly limits?: Pick<ListAddress, 'maxBytes' | 'timeoutMs'>;
}

type Told =
  | { readonly sample: ListSample }
  | { readonly code: ErrorCode; readonly message: string };

async function sampleApart(asked: AskedSample): Promise<ListSample> {
  const script = fileURLToPath(siblingModule(import.meta.url, 'sample-here'));
  const reading = promisify(execFile)(process.execPath, [...process.execArgv, script], {
    maxBuffer: 512 * 1024 * 1024,
  });
  // A process that ends before it has read this says why by its exit.
  reading.child.stdin?.on('error', () => {}).end(JSON.stringify(asked));
  const { stdout } = await reading;
  // A cell that a row does not have is undefined, which JSON cannot say.
  const told: Told = JSON.parse(stdout);
  if ('code' in told) throw new DossierError(told.code, told.message);
  const { sample } = told;
  const rows = sample.rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell) => cell ?? undefined),
  }));
  return { ...sample, rows };
}
