import { type Stats, statSync } from 'node:fs';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Run } from '../ledger/runs/runs.ts';

/** What must be the same for an unfinished run to be taken up again. */
export interface RunBasis {
  readonly job: string;
  readonly jobFingerprint: string;
  readonly input: InputStamp;
}

/** A pipe has no stamp, and a file that is gone has none any more. */
export type InputStamp = { kind: 'file'; stamp: string } | { kind: 'pipe' } | { kind: 'gone' };

/** Tells whether a file is the one that was read before, without reading it. */
export function stampInput(path: string): InputStamp {
  if (path === '-') return { kind: 'pipe' };
  const facts = factsOf(path);
  if (!facts) return { kind: 'gone' };
  if (!facts.isFile()) return { kind: 'pipe' };
  return { kind: 'file', stamp: `${path} ${facts.size} ${facts.mtimeMs}` };
}

/** What cannot be reached is as good as gone; whoever reads it will say why. */
function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * The unfinished run of the job, if it asks the same of the same input: then its snapshot is used,
 * and nothing is read again. One that asks for something else makes way once a new run is read in.
 */
export function resumableRun(ledger: Ledger, basis: RunBasis): Run | undefined {
  const newest = ledger.runs.newest(basis.job);
  if (newest?.state !== 'open' || newest.jobFingerprint !== basis.jobFingerprint) return undefined;
  return isSameInput(newest, basis.input) ? newest : undefined;
}

function isSameInput(run: Run, input: InputStamp): boolean {
  switch (input.kind) {
    case 'file':
      return run.inputStamp === input.stamp;
    case 'gone':
      return run.inputStamp !== null;
    case 'pipe':
      // Whatever is piped in now has not been read before.
      return false;
  }
}
