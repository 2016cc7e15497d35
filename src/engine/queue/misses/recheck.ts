import type { Ledger } from '../../ledger/open-ledger.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import type { QueueState } from '../queue-state.ts';
import type { Answer, Exchange } from '../run-queue.ts';

export const mostRechecked = 10;

/** After a result held for vanished companies, the run looks up some of them before any other call. */
export interface Recheck {
  /** True for all other calls until it is over. */
  postpones(callId: number): boolean;
  note(answers: readonly Answer[]): void;
  noteCached(callId: number): void;
  /** Returns its result once, when its last call is answered. */
  end(): Pick<Exchange, 'vanished'> | undefined;
}

export function createRecheck({ ledger, run }: QueueState): Recheck {
  const callIds = JSON.stringify(run.vanishedCallIds);
  const open = new Set(
    ledger.calls.listOpenAmong({ runId: run.id, callIds, limit: mostRechecked }),
  );
  let isOver = open.size === 0;
  let lookedUp = 0;
  let missed = 0;
  return {
    postpones: (callId) => !isOver && !open.has(callId),
    note(answers) {
      for (const { callId, result } of answers) {
        if (!open.delete(callId)) continue;
        lookedUp += 1;
        if (result.kind === 'miss' || result.kind === 'invalid') missed += 1;
      }
    },
    noteCached: (callId) => open.delete(callId),
    end() {
      if (isOver || open.size > 0) return undefined;
      isOver = true;
      if (lookedUp === 0 || missed * 2 < lookedUp) return {};
      const vanished = `stopped before other calls: of ${lookedUp} companies that vanished last time, ${missed} are still missing`;
      return { vanished };
    },
  };
}

/** A run that stopped at its recheck is not continued: a new run begins with a new one. */
export function hasStoppedAtRecheck({ starts }: Ledger, run: Run): boolean {
  return starts.ofRun(run)?.reason === 'STILL_VANISHED';
}
