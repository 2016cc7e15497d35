import type { CompanyCall } from '../contract/call.ts';
import type { NewRow } from '../ledger/runs/rows.ts';
import type { QueueState } from './queue-state.ts';
import type { IdentifiedRow } from './run-queue.ts';
import { wantLookups } from './want-calls.ts';

/** Stores rows and the calls of their first candidates. A rejected row is complete at once. */
export function addRows(state: QueueState, rows: readonly IdentifiedRow[]): void {
  const { ledger, run, counts } = state;
  const asking = rows.map((row) => ({ row, call: firstCall(row) }));
  const callIds = wantLookups(
    state,
    asking.flatMap(({ call }) => call ?? []),
  );
  let next = 0;
  ledger.rows.add(
    asking.map(({ row, call }): NewRow => {
      const callId = call ? (callIds[next++] ?? null) : null;
      return { ...row, runId: run.id, callId };
    }),
  );
  const rejected = rows.filter(({ reject }) => reject).length;
  counts.rows.invalid += rejected;
  counts.rows.open += rows.length - rejected;
}

function firstCall({ candidates, country }: IdentifiedRow): CompanyCall | undefined {
  const [kind, value] = candidates[0] ?? [];
  if (kind === undefined || value === undefined || country === undefined) return undefined;
  return { operation: 'company', identifier: { kind, value }, country };
}
