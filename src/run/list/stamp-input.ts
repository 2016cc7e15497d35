import { type Stats, statSync } from 'node:fs';
import { stampAddress } from '../../input/remote/stamp-address.ts';
import type { Correction } from '../../job/mended/correction.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { InputStamp } from '../../rules/resume.ts';
import { correctionsDigest } from './apply-corrections.ts';

/** A run that has read a list. */
interface ReadRun {
  readonly inputPath: string;
  readonly inputStamp: string | null;
}

/**
 * Tells whether a list is the one that was read before, without reading it. The place of a list at an address
 * is asked only where there is an unfinished run of it to be resumed.
 */
export async function stampInput(
  { path, address }: Pick<ResolvedJob['input'], 'path' | 'address'>,
  findUnfinished: () => ReadRun | undefined,
  signal?: AbortSignal,
): Promise<InputStamp> {
  if (!address) return stampFile(path);
  const unfinished = findUnfinished();
  if (unfinished?.inputPath !== path || unfinished.inputStamp === null) return { kind: 'pipe' };
  return await stampAddress(address, unfinished.inputStamp, signal);
}

/** Path, size and time tell one version of a file from another. */
export function stampFile(path: string): InputStamp {
  if (path === '-') return { kind: 'pipe' };
  const facts = factsOf(path);
  if (!facts) return { kind: 'gone' };
  if (!facts.isFile()) return { kind: 'pipe' };
  return { kind: 'file', stamp: `${path} ${facts.size} ${facts.mtimeMs}` };
}

/** With other corrections the same file is another list, which has to be read to see whether they apply. */
export function stampMended(input: InputStamp, corrections: readonly Correction[]): InputStamp {
  if (input.kind !== 'file' || corrections.length === 0) return input;
  return { ...input, stamp: `${input.stamp} mended ${correctionsDigest(corrections)}` };
}

/** A file that cannot be reached counts as gone; reading it says why. */
function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
