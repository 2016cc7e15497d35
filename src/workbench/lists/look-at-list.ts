import { describeList, type ReadJob } from '../../overview/lists/describe-list.ts';
import {
  inspectSample,
  type ListFindings,
  type NamedColumns,
} from '../../overview/lists/inspect-list.ts';
import type { ListReading } from '../../overview/lists/list-reading.ts';
import type { ListSample } from '../../overview/lists/sample-list.ts';
import { openThread, siblingModule } from '../../runtime/thread/thread.ts';
import type { LookingVerbs } from './serve-looking.ts';

/** What the thread is asked with. */
export interface LookedAt {
  readonly inspect: { readonly sample: ListSample; readonly named?: NamedColumns | undefined };
  readonly describe: {
    readonly job: ReadJob;
    readonly sample: ListSample;
    readonly columns: readonly string[];
  };
}

/** Every cell is looked at as every kind of identifier: these take a seventh of a second, and a thread as long to start. */
const fewCells = 15_000;

/** What the columns of a list are. Of a wide list it is found in a thread, since the server would answer nobody for seconds. */
export async function inspectSampled(
  sample: ListSample,
  named?: NamedColumns,
): Promise<ListFindings> {
  if (isSmall(sample)) return inspectSample(sample, named);
  await using looking = await openLooking();
  return await looking.ask('inspect', { sample, named });
}

/** The same for what the page shows of a list. */
export async function describeSampled(
  { input: { key }, identify, country }: ReadJob,
  sample: ListSample,
  columns: readonly string[],
): Promise<ListReading> {
  const job = { input: { key }, identify, country };
  if (isSmall(sample)) return describeList(job, sample, columns);
  await using looking = await openLooking();
  return await looking.ask('describe', { job, sample, columns });
}

function isSmall({ header, rows }: ListSample): boolean {
  return header.length * rows.length <= fewCells;
}

async function openLooking() {
  const thread = openThread();
  const { ask } = await thread.open<LookingVerbs>(
    siblingModule(import.meta.url, 'serve-looking'),
    {},
  );
  return { ask, [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose]() };
}
