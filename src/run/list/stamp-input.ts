import { type Stats, statSync } from 'node:fs';
import type { InputStamp } from '../../rules/resume.ts';

/** Tells whether a file is the one that was read before, without reading it. */
export function stampInput(path: string): InputStamp {
  if (path === '-') return { kind: 'pipe' };
  const facts = factsOf(path);
  if (!facts) return { kind: 'gone' };
  if (!facts.isFile()) return { kind: 'pipe' };
  return { kind: 'file', stamp: `${path} ${facts.size} ${facts.mtimeMs}` };
}

/** A file that cannot be reached counts as gone; reading it says why. */
function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
