import type { Counts } from './outcomes.ts';

/** How calls are saved: rows share one, the ledger has the answer, or has it under another identifier. */
export type SavedCalls = Pick<Counts['calls'], 'shared' | 'reused' | 'joined'>;

/** What terminal, report, manifest and status call saved: made and saved are all that rows asked for. */
export function savedCalls({ shared, reused, joined }: SavedCalls): number {
  return shared + reused + joined;
}
