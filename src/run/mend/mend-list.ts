import { dirname } from 'node:path';
import { DossierError } from '../../errors.ts';
import { listedColumns } from '../../input/find-column.ts';
import { type Correction, dropCorrections, putCorrections } from '../../job/mended/correction.ts';
import {
  makeCorrectionsFolder,
  readCorrections,
  writeCorrections,
} from '../../job/mended/corrections-file.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { findListedRows } from '../../queue/mended/listed-rows.ts';
import type { Clock } from '../../runtime/clock.ts';
import { lockFolder } from '../../sinks/files/lock-folder.ts';
import { planColumns } from '../list/plan-columns.ts';
import { type Findings, findCorrections } from './find-corrections.ts';
import { readMendedFile } from './read-mended-file.ts';

/** What a mended file brings to a job. */
export interface Mending extends Findings {
  /** The run whose rows the file was compared with. */
  readonly run: string;
  /** All corrections of the job, with those of the file. */
  readonly kept: readonly Correction[];
  /** Columns whose cells can be mended. */
  readonly columns: readonly string[];
  /** What was guessed to read the file. */
  readonly notes: readonly string[];
}

/** Finds what a mended file corrects. Nothing is written; a file that corrects nothing is refused. */
export async function readMending(
  job: ResolvedJob,
  path: string,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<Mending> {
  const kept = readCorrections(requirePlace(job));
  const file = await readMendedFile(path, signal);
  const keys = new Set(file.rows.map(({ key }) => key));
  const listed = findListedRows({ job: job.name, ledgerPath: job.ledger }, keys);
  const sample = listed.sample.map((cells) => cells.map((cell) => cell ?? undefined));
  const plan = planColumns(job, listed.columns, sample);
  const at = new Date(clock.wallMs()).toISOString();
  const found = findCorrections(file, { ...listed, plan, kept: byRow(kept) }, at);
  const indexes = [...plan.identify.map(({ index }) => index), plan.country.index ?? -1];
  const columns = listed.columns.filter((_, index) => indexes.includes(index));
  const { run } = listed;
  if (!columns.some((column) => file.columns.includes(column))) {
    throw unusable(
      `${file.name} has no column of those that can be mended: ${listedColumns(columns)}`,
    );
  }
  refuseNothing(file.name, found, { run, rows: file.rows.length, columns });
  const notes = [...file.notes, ...withoutKeyNotes(file.withoutKey)];
  return { ...found, run, columns, kept: putCorrections(kept, found.corrections), notes };
}

/** Where the corrections of a job are kept. A bare list from standard input has no place for them. */
export function requirePlace({ corrections }: Pick<ResolvedJob, 'corrections'>): string {
  if (corrections !== undefined) return corrections;
  throw new DossierError(
    'USAGE',
    'corrections are kept beside a job file or a list, and standard input is neither: write a job file',
  );
}

/** Keeps corrections, so that every run of the job applies them. */
export async function keepCorrections(
  job: ResolvedJob,
  corrections: readonly Correction[],
): Promise<void> {
  const path = requirePlace(job);
  makeCorrectionsFolder(path);
  using _lock = await lockFolder(dirname(path));
  await writeCorrections(path, putCorrections(readCorrections(path), corrections));
}

/** Drops the corrections of some rows, or all, and gives those that it has dropped. */
export async function forgetCorrections(
  job: ResolvedJob,
  rowKeys: readonly string[] | 'all',
): Promise<readonly Correction[]> {
  const path = requirePlace(job);
  using _lock = await lockFolder(dirname(path));
  const kept = readCorrections(path);
  const keys = rowKeys === 'all' ? kept.map(({ row_key }) => row_key) : rowKeys;
  const known = new Set(kept.map(({ row_key }) => row_key));
  const unknown = keys.filter((key) => !known.has(key));
  if (unknown.length > 0) {
    const which = unknown.map((key) => JSON.stringify(key)).join(', ');
    throw new DossierError('USAGE', `there is no correction of ${which} in ${path}`);
  }
  const { left, dropped } = dropCorrections(kept, keys);
  if (dropped.length > 0) await writeCorrections(path, left);
  return dropped;
}

/** Drops the corrections of single cells; one that is gone already is no matter. */
export async function forgetCells(
  job: ResolvedJob,
  cells: readonly Pick<Correction, 'row_key' | 'column'>[],
): Promise<void> {
  const path = requirePlace(job);
  using _lock = await lockFolder(dirname(path));
  const kept = readCorrections(path);
  const left = kept.filter(
    ({ row_key, column }) =>
      !cells.some((cell) => cell.row_key === row_key && cell.column === column),
  );
  if (left.length < kept.length) await writeCorrections(path, left);
}

function byRow(corrections: readonly Correction[]) {
  return Map.groupBy(corrections, ({ row_key }) => row_key);
}

const keysShown = 5;

function refuseNothing(
  name: string,
  { corrections, again, refused, unknown, matched }: Findings,
  { run, rows, columns }: { run: string; rows: number; columns: readonly string[] },
): void {
  if (corrections.length + again > 0) return;
  const [first] = refused;
  if (first) {
    const others = refused.length > 1 ? `, nor any of ${refused.length - 1} others` : '';
    throw unusable(
      `${name}: ${JSON.stringify(first.value)} in ${first.column} of row ${first.row_key} cannot be asked for (${first.reason}: ${first.message})${others}`,
    );
  }
  if (rows > 0 && unknown.length === rows) {
    throw unusable(`${name}: ${lackingText(unknown, run)}; is it the file of this job?`);
  }
  if (matched > 0) throw unusable(`${name}: the rows whose cells differ have a company in ${run}`);
  const others = unknown.length === 0 ? '' : ` of its other rows`;
  const lacking = unknown.length === 0 ? '' : `${lackingText(unknown, run)}, and `;
  throw unusable(
    `${name}: ${lacking}no cell of ${listedColumns(columns)}${others} differs from what ${run} has read`,
  );
}

function lackingText(unknown: readonly string[], run: string): string {
  const shown = unknown.slice(0, keysShown).map((key) => JSON.stringify(key));
  const which = `${shown.join(', ')}${unknown.length > keysShown ? ' and others' : ''}`;
  return unknown.length === 1
    ? `its row with the key ${which} is not in ${run}`
    : `${unknown.length.toLocaleString('en')} rows are not in ${run}, those with the keys ${which}`;
}

function unusable(message: string): DossierError {
  return new DossierError('MENDED_UNUSABLE', message);
}

function withoutKeyNotes(rows: number): string[] {
  if (rows === 0) return [];
  return [
    `${rows === 1 ? 'One row' : `${rows} rows`} without a row_key ${rows === 1 ? 'is' : 'are'} left out.`,
  ];
}
