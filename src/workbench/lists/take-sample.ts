import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DossierError, type ErrorCode } from '../../errors.ts';
import type { InputOptions } from '../../input/open-input.ts';
import { type ListSample, sampleList } from '../../overview/lists/sample-list.ts';
import { siblingModule } from '../../runtime/thread/sibling-module.ts';

/** These are read from their beginning, however long they are. A workbook is unpacked as a whole,
 * and Parquet by pages that may be large. */
const streamed = /\.(?:csv|tsv|txt|jsonl|ndjson|json)(?:\.gz|\.zst)?$/i;
const smallBytes = 1024 * 1024;

/**
 * Reads the beginning of a list. A large workbook or Parquet file is read in a process of its own, since it takes seconds
 * in which the server would answer nobody, and memory that it would not give back.
 */
export async function takeSample(path: string, form: InputOptions = {}): Promise<ListSample> {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (streamed.test(path) || bytes <= smallBytes) return await sampleList(path, form);
  return await sampleApart(path, form);
}

type Told =
  | { readonly sample: ListSample }
  | { readonly code: ErrorCode; readonly message: string };

async function sampleApart(path: string, form: InputOptions): Promise<ListSample> {
  const script = fileURLToPath(siblingModule(import.meta.url, 'sample-here'));
  const words = [...process.execArgv, script, path, JSON.stringify(form)];
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    maxBuffer: 512 * 1024 * 1024,
  });
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
