import { DossierError } from '../errors.ts';
import { openBytes } from '../runtime/files/open-bytes.ts';
import { readLines } from '../runtime/files/read-lines.ts';
import type { Store } from './open-store.ts';
import { readLine, type StoreLine } from './store/read-line.ts';

export interface LoadProgress {
  companies: number;
  people: number;
  badLines: number;
  /** Share of all bytes that are read; undefined when one of the inputs is a pipe. */
  share: number | undefined;
}

export interface LoadOptions {
  isStrict?: boolean;
  onBadLine?: (line: { file: string; number: number; problem: string }) => void;
  onProgress?: (progress: LoadProgress) => void;
}

/**
 * Even a small transaction touches nearly all pages of five indexes and writes them: with ten
 * thousand lines loading is about twice as fast as with one thousand. The limit of characters keeps
 * memory small when lines are long.
 */
const transactionLimits = { lines: 10_000, characters: 16 * 1024 * 1024 };
const maxLineBytes = 16 * 1024 * 1024;

/** Streams JSONL files into a store, holding the lines of one transaction at a time. */
export async function loadFiles(
  store: Store,
  paths: readonly string[],
  options: LoadOptions = {},
): Promise<LoadProgress> {
  const files = await Promise.all(paths.map((path) => openBytes(path)));
  const sizes = files.map((file) => file.sizeBytes);
  const totalBytes = sizes.includes(undefined) ? undefined : sum(sizes as number[]);
  const progress: LoadProgress = { companies: 0, people: 0, badLines: 0, share: undefined };

  const put = (lines: readonly StoreLine[]) => {
    store.together(() => {
      for (const line of lines) {
        if (line.kind === 'company') store.putCompany(line.company);
        if (line.kind === 'person') store.putPerson(line.person);
      }
    });
    for (const { kind } of lines) {
      if (kind === 'company') progress.companies += 1;
      if (kind === 'person') progress.people += 1;
    }
    progress.share = totalBytes && sum(files.map((file) => file.bytesRead())) / totalBytes;
    options.onProgress?.(progress);
  };

  for (const file of files) {
    let batch: StoreLine[] = [];
    let characters = 0;
    for await (const { number, text, isTooLong } of readLines(file.bytes, { maxLineBytes })) {
      if (text.trim() === '') continue;
      const line: StoreLine = isTooLong
        ? { kind: 'bad', problem: `longer than ${maxLineBytes / 1024 / 1024} MiB` }
        : readLine(text);
      if (line.kind === 'bad') {
        progress.badLines += 1;
        options.onBadLine?.({ file: file.name, number, problem: line.problem });
        if (options.isStrict) {
          put(batch);
          throw new DossierError('INPUT_INVALID', `${file.name}:${number}: ${line.problem}`);
        }
        continue;
      }
      batch.push(line);
      characters += text.length;
      if (batch.length === transactionLimits.lines || characters > transactionLimits.characters) {
        put(batch);
        batch = [];
        characters = 0;
      }
    }
    put(batch);
  }
  return progress;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
