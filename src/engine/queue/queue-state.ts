import type { RowCandidate } from '../../core/rules/next-candidate.ts';
import { type Counts, noCallsOfService } from '../../core/rules/outcomes.ts';
import type { Suppression } from '../../core/rules/suppression.ts';
import type { OpenCall } from '../ledger/calls/open-calls.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type AskedServices, createAskedServices } from './asked-services.ts';
import { createSpendCounter, type SpendCounter } from './count-spend.ts';
import { createHistory, type History } from './misses/history.ts';
import { createWaterfall, type Waterfall } from './misses/waterfall.ts';
import type { QueuedRun, QueueTerms } from './queue-terms.ts';
import { type AnswerCache, type CachedAnswer, createAnswerCache } from './reuse/answer-cache.ts';
import type { LeasedCall } from './run-queue.ts';

/** One run over the ledger. Three of its fields change while it goes on. */
export interface QueueState {
  readonly ledger: Ledger;
  readonly run: QueuedRun;
  readonly terms: QueueTerms;
  readonly services: AskedServices;
  readonly waterfall: Waterfall;
  /** One for each service; undefined if its requests are not counted. */
  readonly spends: readonly (SpendCounter | undefined)[];
  readonly cache: AnswerCache;
  /** What the user suppressed, and what was forgotten. */
  readonly suppression: Suppression;
  readonly forgotten: Suppression;
  isSuppressed(row: { readonly candidates: readonly RowCandidate[] }): boolean;
  /** Stored at the end of each transaction. */
  readonly counts: Counts;
  /** As in the ledger, by call id. Changed only after a commit. */
  readonly leased: Map<number, OpenCall & Pick<LeasedCall, 'call'>>;
  /** When the first answer that this run took over expires. */
  freshUntil: number;
}

export function createQueueState(
  ledger: Ledger,
  run: QueuedRun,
  terms: QueueTerms,
  services: AskedServices = createAskedServices(ledger, terms.services),
  cache: AnswerCache = createAnswerCache(ledger, run, services),
  history: History = createHistory(ledger, run),
): QueueState {
  const suppression = ledger.forgotten.suppression(terms.exclusions);
  const owner = { job: terms.job, runId: run.kind === 'lookup' ? 0 : run.id };
  return {
    ledger,
    run,
    terms,
    services,
    waterfall: createWaterfall(ledger, run, services, history),
    spends: terms.services.map(
      ({ spend }, index) => spend && createSpendCounter(ledger, spend, owner, index),
    ),
    cache,
    suppression,
    forgotten: ledger.forgotten.suppression(),
    isSuppressed: ({ candidates }) =>
      !suppression.isEmpty &&
      candidates.some(([kind, value]) => suppression.has({ kind, value }, services.idsAt)),
    counts: countsOf(ledger, run, terms),
    leased: new Map(),
    freshUntil: ledger.progress.freshUntil(run.id),
  };
}

function countsOf({ progress }: Ledger, { id }: QueuedRun, { services }: QueueTerms): Counts {
  const counts = progress.counts(id);
  const none = services.map(({ name }) => [name, noCallsOfService()] as const);
  return { ...counts, services: { ...Object.fromEntries(none), ...counts.services } };
}

export function noteExpiry(state: QueueState, { freshUntil }: CachedAnswer) {
  state.freshUntil = Math.min(state.freshUntil, freshUntil);
}
