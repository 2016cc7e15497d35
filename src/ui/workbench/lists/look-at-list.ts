import { statSync } from 'node:fs';
import {
  type ListAddress,
  type ListLocation,
  listAddress,
} from '../../../core/runtime/files/local-path.ts';
import { openThread, type Served, siblingModule } from '../../../core/runtime/thread/thread.ts';
import type { InputOptions } from '../../../lists/open-input.ts';
import {
  describeList,
  inspectSample,
  type ListSample,
  type ReadJob,
  sampleList,
} from '../../overview/lists.ts';

/** These are read from the start, however long they are. A workbook is unpacked whole, and Parquet in large pages. */
const streamed = /\.(?:csv|tsv|txt|jsonl|ndjson|json)(?:\.gz|\.zst)?$/i;
const smallBytes = 1024 * 1024;
/** Each cell is tried as every kind of identifier: this many take 150 ms, in which the server would not answer. */
const fewCells = 15_000;

/** The first rows of a list. A large workbook or Parquet file needs seconds, and memory that a thread gives back. */
export async function takeSample(list: ListLocation, form: InputOptions = {}): Promise<ListSample> {
  if (typeof list !== 'string') return await sampleOnce(list, form);
  const bytes = statSync(list, { throwIfNoEntry: false })?.size ?? 0;
  if (streamed.test(list) || bytes <= smallBytes) return await sampleList(list, form);
  return await inThread(({ ask }) => ask('sample', { path: list, form }));
}

/** The columns of a list, and which of them identify companies. */
export async function inspectSampled(sample: ListSample) {
  return isSmall(sample)
    ? inspectSample(sample)
    : await inThread(({ ask }) => ask('inspect', sample));
}

/** What the page shows of a list. */
export async function describeSampled(
  { input: { key }, identify, country }: ReadJob,
  sample: ListSample,
) {
  const job = { input: { key }, identify, country };
  return isSmall(sample)
    ? describeList(job, sample)
    : await inThread(({ ask }) => ask('describe', [job, sample]));
}

function isSmall({ header, rows }: ListSample): boolean {
  return header.length * rows.length <= fewCells;
}

/** The page reads a list again after each choice; one at an address is fetched once a minute. */
const keptMs = 60_000;
const fetched = new Map<string, { readonly sample: Promise<ListSample>; readonly at: number }>();

async function sampleOnce(address: ListAddress, form: InputOptions): Promise<ListSample> {
  const request = { path: address.reveal(), form };
  const key = JSON.stringify(request);
  const now = performance.now();
  for (const [other, { at }] of fetched) if (now - at > keptMs) fetched.delete(other);
  const { sample = inThread(({ ask }) => ask('sample', request)) } = fetched.get(key) ?? {};
  if (!fetched.has(key)) fetched.set(key, { sample, at: now });
  try {
    return await sample;
  } catch (error) {
    fetched.delete(key);
    throw error;
  }
}

/** What the thread does. */
export function serve() {
  return {
    sample: ({ path, form }: { path: string; form: InputOptions }) =>
      sampleList(listAddress(path) ?? path, form),
    inspect: inspectSample,
    describe: (of: Parameters<typeof describeList>) => describeList(...of),
  };
}

async function inThread<Result>(
  work: (list: Served<ReturnType<typeof serve>>) => Promise<Result>,
): Promise<Result> {
  await using thread = openThread();
  return await work(await thread.open(siblingModule(import.meta.url, 'look-at-list'), {}));
}
