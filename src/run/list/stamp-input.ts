import { type Stats, statSync } from 'node:fs';
import type { Correction } from '../../job/mended/correction.ts';
import type { InputStamp } from '../../rules/resume.ts';
import { correctionsDigest } from './mended/apply-corrections.ts';

/** Tells whether a file is the one that was read before, without reading it. */
export function stampInput(path: string): InputStamp {
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
