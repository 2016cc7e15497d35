import { statSync } from 'node:fs';
import { type ListSample, sampleList } from '../../../facts/lists.ts';
import type { InputOptions } from '../../../lists/open-input.ts';
import {
  type ListAddress,
  type ListLocation,
  listAddress,
} from '../../../platform/files/local-path.ts';
import { openThread, siblingModule } from '../../../platform/thread/thread.ts';

/** The first rows of these formats can be read without the rest. */
const streamed = /\.(?:csv|tsv|txt|jsonl|ndjson|json)(?:\.gz|\.zst)?$/i;
const smallBytes = 1024 * 1024;

/** A large workbook takes seconds to read, and only the end of a thread frees its memory. */
export async function takeSample(list: ListLocation, form: InputOptions = {}): Promise<ListSample> {
  if (typeof list !== 'string') return await sampleOnce(list, form);
  const bytes = statSync(list, { throwIfNoEntry: false })?.size ?? 0;
  if (streamed.test(list) || bytes <= smallBytes) return await sampleList(list, form);
  return await sampleInThread({ path: list, form });
}

/** The page reads a list after each choice, so a list at a URL is kept for a minute. */
const keptMs = 60_000;
const fetched = new Map<string, { readonly sample: Promise<ListSample>; readonly at: number }>();

async function sampleOnce(address: ListAddress, form: InputOptions): Promise<ListSample> {
  const request = { path: address.reveal(), form };
  const key = JSON.stringify(request);
  const now = performance.now();
  for (const [other, { at }] of fetched) if (now - at > keptMs) fetched.delete(other);
  const { sample = sampleInThread(request) } = fetched.get(key) ?? {};
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
    sample: ({ path, form }: SampleRequest) => sampleList(listAddress(path) ?? path, form),
  };
}

interface SampleRequest {
  readonly path: string;
  readonly form: InputOptions;
}

async function sampleInThread(request: SampleRequest): Promise<ListSample> {
  await using thread = openThread();
  const module = siblingModule(import.meta.url, 'look-at-list');
  const { ask } = await thread.open<ReturnType<typeof serve>>(module, {});
  return await ask('sample', request);
}
