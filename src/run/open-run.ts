import { hash } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { DossierError } from '../core/errors.ts';
import { type Counts, totalRows } from '../core/rules/outcomes.ts';
import type { Run } from '../engine/ledger/runs/runs.ts';
import { serviceIdentity } from '../engine/providers/providers.ts';
import type { RunQueue } from '../engine/queue/run-queue.ts';
import type { RunsToOpen } from '../engine/runs/job-runs.ts';
import { readCorrections } from '../job/corrections.ts';
import { outcomeSettingsHash } from '../job/job-fingerprint.ts';
import { inlineName, type ResolvedJob } from '../job/resolved-job.ts';
import { sheetHint } from '../lists/input-row.ts';
import { type OpenInput, openInput } from '../lists/open-input.ts';
import { readSteady, versionOf } from '../lists/read-steady.ts';
import type { SourceOptions } from '../lists/remote/open-source.ts';
import type { Clock } from '../platform/clock.ts';
import { fromHere } from '../platform/files/local-path.ts';
import { refuseReplacing } from './export/own-files.ts';
import { correctionNotes } from './list/corrector.ts';
import { type IngestOptions, ingest } from './list/ingest.ts';
import { columnNotes } from './list/plan-columns.ts';
import type { HeldList } from './run-parts.ts';

export interface ReadingOptions extends IngestOptions, Pick<SourceOptions, 'onReceive'> {
  readonly clock: Clock;
  /** Throws unless the list should be looked up anyway. */
  readonly onListHeld?: (held: HeldList) => void | Promise<void>;
  /** When the calls of the list are queued. Throws if the user does not want to pay for them. */
  readonly onQueued?:
    | ((run: Run, queue: RunQueue, notes: readonly string[]) => Promise<void>)
    | undefined;
}

/** A run whose list is read and whose calls are queued. */
export interface OpenedRun {
  readonly run: Run;
  readonly queue: RunQueue;
  readonly counts: Counts;
  readonly isResumed: boolean;
  readonly notes: readonly string[];
}

export async function openRun(
  runs: RunsToOpen,
  job: ResolvedJob,
  options: ReadingOptions,
): Promise<OpenedRun> {
  const opening = { runs, job, options, startedAt: options.clock.wallMs() };
  const read = (confirm: () => Promise<void>) => readAndQueue(opening, confirm);
  return await readSteady(job.input.path, read, runs.dropRead);
}

interface Opening {
  readonly runs: RunsToOpen;
  readonly job: ResolvedJob;
  readonly options: ReadingOptions;
  readonly startedAt: number;
}

/** Resumes a run of the same list if there is one. `confirm`: see `readSteady`. */
async function readAndQueue(opening: Opening, confirm: () => Promise<void>): Promise<OpenedRun> {
  const { runs, job, startedAt } = opening;
  const { onListHeld, onQueued, ...reading } = opening.options;
  const { signal, corrections = readCorrections(job.corrections) } = reading;
  const { path, address, options, maxRows: rowLimit = null } = job.input;
  const inputStamp = address || (await versionOf(path)) ? path : null;
  const openingInput = openInput(address ?? path, options, reading);
  const stored = runs.findStored(path);
  if (stored) {
    const isUnreachable = await openingInput.then(
      () => false,
      async (error: unknown) =>
        error instanceof DossierError && !signal?.aborted && (address || !(await isReadable(path))),
    );
    if (isUnreachable) return await resume(opening, stored);
  }
  await using input = await openingInput;
  const { columns } = input;
  const kind = rowLimit === null ? 'whole' : 'trial';
  const begun = { kind, rowLimit, startedAt, inputStamp, inputName: input.name, columns } as const;
  const read = await beginRun(runs, job, begun, async (run, queue) => {
    refuseReplacing(job, run);
    const last = runs.lastKeyed(path);
    const { counts, plan, ...ingested } = await ingest(queue, job, input, {
      ...reading,
      corrections,
      keyOfLastRun: last?.keyColumns,
      before: last && { columns: last.columns, find: runs.registerRows(last) },
    });
    await confirm();
    const { inputSha256, keyColumns, corrections: applied, registerSources } = ingested;
    const notes = [
      ...servicesNotes(job),
      ...runs.distrusted().map((name) => distrustNote(job, name)),
      ...input.notes(),
      ...columnNotes(job, columns, plan),
      ...ingested.notes,
      ...correctionNotes(ingested),
    ];
    const list = { columns, keyColumns, corrections: applied, inputSha256, registerSources };
    const sameList = runs.findSameList(list, startedAt);
    if (sameList) return { sameList, notes };
    const why = runs.checkList(job.expect, run, totalRows(counts), describeEmpty(input));
    if (why !== undefined) await onListHeld?.({ why, hash: listHash(list) });
    await onQueued?.({ ...run, ...list }, queue, notes);
    const complete = await runs.completeList(run, list);
    return { run: complete, queue, counts: await queue.counts(), isResumed: false, notes };
  });
  if (!('sameList' in read)) return read;
  // The unfinished run of this list has its answers.
  await runs.dropRead();
  return await resume(opening, read.sameList, read.notes);
}

async function resume(
  { runs, job, options, startedAt }: Opening,
  unfinished: Run,
  notes = correctionNotes(unfinished),
): Promise<OpenedRun> {
  const run = await runs.resume(unfinished, startedAt);
  refuseReplacing(job, run);
  return await withQueue(runs, run, async (queue) => {
    await options.onQueued?.(run, queue, notes);
    return { run, queue, counts: await queue.counts(), isResumed: true, notes };
  });
}

function distrustNote({ services }: ResolvedJob, name: string) {
  const shown = services.length > 1 ? name : 'The service';
  return `${shown} has never found a company. In case its address is wrong, a miss there is looked up a second time before it is believed.`;
}

/** The file may be far from the job, and it decides where keys are sent and what is paid. */
function servicesNotes({ services, servicesFile }: ResolvedJob) {
  const limits = services.flatMap(({ name, url, limitedBy = [], pricedBy }) => {
    const files = new Set([...(pricedBy ? [pricedBy] : []), ...limitedBy]);
    return [...files].map((file) => {
      const taken = [file === pricedBy && 'the price', limitedBy.includes(file) && 'the limits'];
      const what = taken.filter(Boolean).join(' and ');
      const shown = name === inlineName ? new URL(url).host : name;
      return `${shown} also has ${what} that ${fromHere(file)} sets for its address.`;
    });
  });
  if (servicesFile === undefined) return limits;
  const named = services.map(({ name, isSample, url }) => {
    const host = isSample ? 'sample data' : new URL(url).host;
    return `${name} (${host})`;
  });
  const [is, file] = [named.length === 1 ? 'is' : 'are', fromHere(servicesFile)];
  return [`${named.join(', ')} ${is} described in ${file}.`, ...limits];
}

async function isReadable(path: string) {
  return await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** `inputSha256` covers cells and applied corrections, but no column names. */
function listHash({ columns, inputSha256 }: Pick<Run, 'columns' | 'inputSha256'>) {
  const content = JSON.stringify([columns, inputSha256]);
  return hash('sha256', content).slice(0, 8);
}

function describeEmpty({ name, sheet, hasHeader, headerLine, columns }: OpenInput) {
  const where = sheet ? `, sheet ${JSON.stringify(sheet.name)},` : '';
  const line = headerLine === undefined ? '' : ` in row ${headerLine}`;
  const header = hasHeader ? ` below its header${line} (${columns.join(', ')})` : '';
  return `${name}${where} has no rows${header}${sheetHint(sheet)}`;
}

export async function beginRun<Begun extends WithQueue>(
  runs: Pick<RunsToOpen, 'start' | 'open'>,
  job: ResolvedJob,
  begun: Pick<Run, 'kind' | 'rowLimit' | 'startedAt' | 'inputStamp' | 'inputName' | 'columns'>,
  read: (run: Run, queue: RunQueue) => Promise<Begun>,
): Promise<Begun> {
  const run = await runs.start({
    ...begun,
    outcomeSettingsHash: outcomeSettingsHash(job),
    inputPath: job.input.path,
    list: job.list,
    services: job.services.map(serviceIdentity),
    hasPeople: job.people !== undefined,
  });
  return await withQueue(runs, run, (queue) => read(run, queue));
}

type WithQueue = { readonly queue?: RunQueue };

/** Disposes of the queue if `work` fails or does not pass it on. */
async function withQueue<Result extends WithQueue>(
  runs: Pick<RunsToOpen, 'open'>,
  run: Run,
  work: (queue: RunQueue) => Promise<Result>,
): Promise<Result> {
  const queue = await runs.open(run);
  let result: Result | undefined;
  try {
    result = await work(queue);
    return result;
  } finally {
    if (!result?.queue) await queue[Symbol.asyncDispose]();
  }
}
