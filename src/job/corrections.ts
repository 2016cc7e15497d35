import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { z } from 'zod';
import { DossierError } from '../core/errors.ts';
import { outputError, syncFolder, writeFileAtomically } from '../platform/files/atomic-file.ts';
import { makeFolder } from '../platform/files/disk.ts';
import { isListAddress } from '../platform/files/local-path.ts';
import { outsideFailure } from '../platform/outside-failures.ts';

export const Correction = z.strictObject({
  row_key: z.string().min(1).describe('Key of the row: `row_key` in the outputs.'),
  column: z.string().min(1).describe('Name of the column in the list.'),
  was: z.string().describe('Value in the list. The correction applies only to this value.'),
  now: z.string().describe('Value to use instead.'),
  at: z.iso.datetime().describe('When the value was corrected.'),
  row: z
    .string()
    .optional()
    .describe(
      "Hash of the row's cells, set if several rows share the key. The correction applies only to the row with this hash.",
    ),
});
export type Correction = z.output<typeof Correction>;

/** `42#2 → 42`: the number of a repeated key may differ in the next list. */
export function unnumbered(key: string): string {
  return key.replace(/#\d+$/, '');
}

/** Adding an empty column must not change the hash. */
export function rowHash(cells: readonly (string | null | undefined)[]): string {
  const last = cells.findLastIndex((cell) => cell);
  const texts = cells.slice(0, last + 1).map((cell) => cell ?? '');
  return hash('sha256', JSON.stringify(texts), 'hex').slice(0, 16);
}

export function correctionsOf(
  kept: readonly Correction[],
  key: string,
  columns: readonly string[],
  cells: readonly (string | undefined)[],
) {
  for (const [row, own] of Map.groupBy(kept, (correction) => correction.row)) {
    const ofKey = own.filter(({ row_key }) =>
      row === undefined ? row_key === key : unnumbered(row_key) === unnumbered(key),
    );
    const listed = cells.map((cell, index) => {
      const made = ofKey.find(({ column, now }) => column === columns[index] && now === cell);
      return made?.was ?? cell;
    });
    const isOfRow = row === undefined || row === rowHash(listed);
    if (ofKey.length > 0 && isOfRow) return { made: ofKey, listed };
  }
  return { made: [], listed: cells };
}

export function putCorrections(
  kept: readonly Correction[],
  given: readonly Correction[],
): Correction[] {
  const byCell = new Map(kept.map((correction) => [cellOf(correction), correction]));
  for (const correction of given) {
    const before = byCell.get(cellOf(correction));
    // Unchanged corrections keep their line in the file.
    if (before?.now !== correction.now) byCell.set(cellOf(correction), correction);
  }
  return [...byCell.values()];
}

export function withoutCorrections(
  kept: readonly Correction[],
  dropped: readonly Correction[],
): Correction[] {
  const cells = new Set(dropped.map(cellOf));
  return kept.filter((correction) => !cells.has(cellOf(correction)));
}

/** Includes `was`, because a later bad value needs its own correction. */
function cellOf({ row_key, column, was, row }: Correction) {
  const place = row === undefined ? row_key : [unnumbered(row_key), row];
  return JSON.stringify([place, column, was]);
}

export function readCorrections(path: string | undefined): Correction[] {
  const text = path === undefined ? undefined : textOf(path);
  if (text === undefined) return [];
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, `${path}:${index + 1}`)]));
}

export async function writeCorrections(
  path: string,
  corrections: readonly Correction[],
): Promise<void> {
  try {
    if (corrections.length > 0) {
      const lines = corrections.map((correction) => `${JSON.stringify(correction)}\n`);
      return await writeFileAtomically(path, lines.join(''));
    }
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  } catch (error) {
    throw unwritable(path, error);
  }
}

export function makeCorrectionsFolder(path: string): void {
  try {
    makeFolder(dirname(path));
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, error: unknown): unknown {
  const explained = outputError(path, error);
  if (!(explained instanceof DossierError)) return explained;
  return new DossierError('FILE_UNWRITABLE', explained.message, { cause: error });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw outsideFailure('file', path, cause);
  }
}

function readLine(line: string, place: string): Correction {
  try {
    const { data, error } = Correction.safeParse(JSON.parse(line));
    if (data) return data;
    const [issue] = error?.issues ?? [];
    const problem = [place, issue?.path.join('.'), issue?.message].filter(Boolean).join(': ');
    throw new DossierError('CORRECTIONS_INVALID', problem);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new DossierError('CORRECTIONS_INVALID', `${place} is not a JSON object`, { cause });
  }
}

const ending = '.fixed.jsonl';

export function isCorrectionsFile(path: string): boolean {
  return path.endsWith(ending);
}

/** `nightly.fixed.jsonl`, `leads.csv.fixed.jsonl`, or `leads.csv-3f2a9c1d.fixed.jsonl` for a URL */
export function correctionsPath(
  jobFile: string | undefined,
  list: string,
  cwd: string,
): string | undefined {
  if (jobFile !== undefined) return jobFile.replace(/\.ya?ml$/i, '') + ending;
  if (isListAddress(list)) {
    const name = basename(list).replace(/[^\w.-]+/g, '_');
    return resolve(cwd, `${name}-${hash('sha256', list).slice(0, 8)}${ending}`);
  }
  return list === '-' ? undefined : list + ending;
}
