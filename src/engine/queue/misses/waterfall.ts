/**
 * Decides when the rows that one service missed ask the next one. A dearer service must not be
 * asked because a cheaper one is wrong, so a miss must be a miss. Rows that wait stay in the ledger
 * with the call that missed, so a killed run forgets none.
 */
import { haveVanished } from '../../../core/rules/known-company.ts';
import {
  type NextCandidate,
  nextCandidate,
  type WaitingRow,
} from '../../../core/rules/next-candidate.ts';
import { type RowOutcome, rowOutcomeFor } from '../../../core/rules/row-outcome.ts';
import { memo } from '../../../core/values/memo.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { AskedService, AskedServices } from '../asked-services.ts';
import type { CompletedCall } from '../complete-calls.ts';
import type { QueuedRun } from '../queue-terms.ts';
import type { History } from './history.ts';
import { mostRechecked } from './recheck.ts';

/** What a row does after the miss of a service. */
const afterMiss = {
  /** The service has found a company before. */
  proven: 'move',
  /** It has never found a company. Without further calls, the row ends as not found. */
  unproven: 'wait',
  /** It still looks up the first known companies. */
  sampled: 'wait',
  /** It misses half of its known companies, so the result will be held. */
  failing: 'end',
  /** It knew the company of this row, which keeps it. */
  known: 'end',
} as const;

type Step = (typeof afterMiss)[keyof typeof afterMiss];

export interface ReadyRow {
  readonly row: WaitingRow;
  readonly next: NextCandidate | undefined;
  readonly completed: Pick<CompletedCall, 'answer' | 'source' | 'serviceIndex'>;
}

export interface Waterfall {
  /** Call before these calls are complete, because the ledger counts complete ones. */
  note(completed: readonly CompletedCall[]): void;
  /** For a row whose next candidate is at another service. */
  decide(completed: Pick<CompletedCall, 'answer' | 'serviceIndex'>): Step;
  /**
   * Rows that need not wait any longer. `isIdle`: a service has no call in flight, and none that
   * could be leased now.
   */
  takeReady(isIdle: (serviceIndex: number) => boolean): Iterable<readonly ReadyRow[]>;
  /** The outcome of a row that may not ask the next service. */
  endOf(completed: ReadyRow['completed']): RowOutcome;
}

export function createWaterfall(
  ledger: Ledger,
  run: QueuedRun,
  services: AskedServices,
  history: History,
): Waterfall {
  const { calls, outcomes } = ledger;
  /** Call in a transaction. */
  const tallyOf = memo((service: AskedService): Tally => {
    const serviceId = services.idOf(service);
    const open = { runId: run.id, serviceId, limit: mostRechecked };
    return {
      serviceId,
      ...history.countKnown(service),
      sample: new Set(calls.listOpenKnown(open)),
      waiting: outcomes.countAfterMiss({ runId: run.id, serviceId }),
    };
  });
  const stepAt = (service: AskedService): Step => {
    const { known, missed, sample } = tallyOf(service);
    if (haveVanished(known, missed)) return afterMiss.failing;
    if (sample.size > 0) return afterMiss.sampled;
    return history.hasEverFound(service) ? afterMiss.proven : afterMiss.unproven;
  };
  const isLast = (serviceIndex: number) => serviceIndex === services.list.length - 1;

  return {
    note(completed) {
      for (const { callId, searchId, serviceIndex, answer, source } of completed) {
        if (searchId !== null || isLast(serviceIndex)) continue;
        const tally = tallyOf(services.at(serviceIndex));
        tally.sample.delete(callId);
        const isHit = answer.result === 'hit';
        if (answer.result === 'failed' || (isHit && source !== 'called')) continue;
        if (!history.isPublished(answer.id)) continue;
        tally.known += 1;
        if (answer.result === 'miss' || answer.result === 'invalid') tally.missed += 1;
      }
    },
    decide(completed) {
      const { id } = completed.answer;
      if (history.isPublished(id) || history.isKept(id)) return afterMiss.known;
      // After the last service, only candidates found by name are left. They start again at the first.
      if (isLast(completed.serviceIndex)) return 'move';
      const service = services.at(completed.serviceIndex);
      const step = stepAt(service);
      if (step === 'wait') tallyOf(service).waiting += 1;
      return step;
    },
    *takeReady(isIdle) {
      let areEarlierDone = true;
      for (const service of services.list.slice(0, -1)) {
        const tally = tallyOf(service);
        const at = { runId: run.id, serviceId: tally.serviceId };
        areEarlierDone &&= isIdle(service.index) && calls.hasOpenAt(at) === 0;
        while (tally.waiting > 0) {
          const step = stepAt(service);
          // Without open calls, the service will not find a company in this run.
          if (step === 'wait' && !areEarlierDone) break;
          const rows = outcomes.waitingAfterMiss(at);
          tally.waiting -= rows.length;
          outcomes.leave(run.id, rows);
          yield rows.flatMap((row): ReadyRow[] => {
            const stored = calls.completion(run.id, row.callId);
            if (!stored) throw new Error(`row ${row.rowId} waits with a call that is not complete`);
            const completed = { ...stored, serviceIndex: service.index };
            const tried = { ...row, serviceIndex: service.index };
            const next = step === 'move' ? nextCandidate(tried, services.takes) : undefined;
            return [{ row, next, completed }];
          });
        }
      }
    },
    endOf({ answer, source, serviceIndex }) {
      const missed = rowOutcomeFor(answer, source);
      const asked = services.at(serviceIndex);
      if (history.hasEverFound(asked)) return missed;
      const message = `${asked.name} has never found a company, so its miss proves nothing, and no other service was asked.`;
      return { ...missed, message };
    },
  };
}

interface Tally {
  readonly serviceId: number;
  /** Known companies that this run looked up. */
  known: number;
  missed: number;
  /** The first known companies, which are not answered yet. */
  readonly sample: Set<number>;
  /** Rows that it missed, and that may not ask the next service yet. */
  waiting: number;
}
