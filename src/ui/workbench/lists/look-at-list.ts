import { statSync } from 'node:fs';
import {
  type ListAddress,
  type ListLocation,
  listAddress,
} from '../../../core/runtime/files/local-path.ts';
import { openThread, type Served, siblingModule } from '../../../core/runtime/thread/thread.ts';
import type { InputOptions } from '../../../lists/open-input.ts';
import type { ColumnJob } from '../../../run/list/plan-columns.ts';
import type { KeyOfLastRun } from '../../../run/list/row-keys.ts';
import { describeList, inspectSample, type ListSample, sampleList } from '../../overview/lists.ts';

/** The first rows of these formats can be read without the rest. */
const streamed = /\.(?:csv|tsv|txt|jsonl|ndjson|json)(?:\.gz|\.zst)?$/i;
const smallBytes = 1024 * 1024;
/** Larger samples go to a thread: identifying 15,000 cells blocks the server for 150 ms. */
const fewCells = 15_000;

/** A large workbook takes seconds to read, and only the end of a thread frees its memory. */
export async function takeSample(list: ListLocation, form: InputOptions = {}): Promise<ListSample> {
  if (typeof list !== 'string') return await sampleOnce(list, form);
  const bytes = statSync(list, { throwIfNoEntry: false })?.size ?? 0;
  if (streamed.test(list) || bytes <= smallBytes) return await sampleList(list, form);
  return await inThread(({ ask }) => ask('sample', { path: list, form }));
}

export async function inspectSampled(sample: ListSample) {
  return isSmall(sample)
    ? inspectSample(sample)
    : await inThread(({ ask }) => ask('inspect', sample));
}

export async function describeSampled(
  { input: { key }, identify, country }: ColumnJob,
  sample: ListSample,
  ...others: [corrected: ListSample, keyOfLastRun: KeyOfLastRun]
) {
  const job = { input: { key }, identify, country };
  const given: Parameters<typeof describeList> = [job, sample, ...others];
  return isSmall(sample)
    ? describeList(...given)
    : await inThread(({ ask }) => ask('describe', given));
}

function isSmall({ header, rows }: ListSample) {
  return header.length * rows.length <= fewCells;
}

/** The page reads a list after each choice, so a list at a URL is kept for a minute. */
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

export function serve() {
  return {
    sample: ({ path, form }: { path: string; form: InputOptions }) =>
      sampleList(listAddress(path) ?? path, form),
    inspect: inspectSample,
    describe: (given: Parameters<typeof describeList>) => describeList(...given),
  };
}

async function inThread<Result>(
  work: (list: Served<ReturnType<typeof serve>>) => Promise<Result>,
): Promise<Result> {
  await using thread = openThread();
  return await work(await thread.open(siblingModule(import.meta.url, 'look-at-list'), {}));
}
