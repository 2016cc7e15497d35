import { canonicalCall } from '../contract/call.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { WaitingRow } from '../ledger/rows.ts';
import type { RunContext } from './run-context.ts';
import { pastAnswer } from './settle-at-hand.ts';
import { wantCall } from './want-call.ts';

/** Calls that come up only when those before them find nothing. */
export interface Fallbacks {
  asked: number;
  /** Would not be made: the ledger has their answer. */
  atHand: number;
}

const rowsAtOnce = 1_000;

/** Supposes that nothing is found, and puts every later candidate of every open row on the list. */
export function openFallbacks(draft: RunContext, past: Ledger | undefined): Fallbacks {
  const fallbacks: Fallbacks = { asked: 0, atHand: 0 };
  let after = 0;
  for (;;) {
    const rows = draft.ledger.planning.openRows(draft.run.id, after, rowsAtOnce);
    draft.ledger.together(() => {
      for (const row of rows) openRow(draft, past, row, fallbacks);
    });
    const last = rows.at(-1);
    if (!last) return fallbacks;
    after = last.number;
  }
}

function openRow(
  draft: RunContext,
  past: Ledger | undefined,
  { country, candidates, place }: WaitingRow,
  fallbacks: Fallbacks,
): void {
  for (const [kind, value] of candidates.slice(place + 1)) {
    const call = { operation: 'company', identifier: { kind, value }, country } as const;
    const openBefore = draft.counts.calls.open;
    wantCall(draft, call);
    // Another row has it on the list already.
    if (draft.counts.calls.open === openBefore) continue;
    if (past && pastAnswer(draft, past, { request: canonicalCall(call) })) fallbacks.atHand += 1;
    else fallbacks.asked += 1;
  }
}
