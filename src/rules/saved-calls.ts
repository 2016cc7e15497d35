import type { Counts } from './outcomes.ts';

/** How calls are saved: rows share one, the ledger has the answer, or has it under another identifier. */
export type SavedCalls = Pick<Counts['calls'], 'shared' | 'reused' | 'joined'>;

/** Saved calls, as terminal, report, manifest and status show them. */
export function savedCalls({ shared, reused, joined }: SavedCalls): number {
  return shared + reused + joined;
}
