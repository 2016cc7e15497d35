import type { Breaker } from '../../client/judge/breaker.ts';
import type { CallRequest } from '../../contract/call.ts';
import { type ReuseTerms, shelfLifeMs } from '../../rules/reuse.ts';
import type { Share } from '../open-share.ts';
import type { ShareOptions } from '../share-options.ts';
import type { AskParts } from './ask-parts.ts';

interface RunTerms {
  readonly share: Pick<ShareOptions, 'keepMs' | 'maxBytes'>;
  readonly reuse: ReuseTerms;
  readonly timeoutMs: number;
  readonly charged?: 'hits' | 'answers';
}

/** What the messages of a run say of how fresh an answer has to be, and how long it is kept for others. */
export function openMessageTerms(
  { nowMs }: Pick<Share, 'nowMs'>,
  breaker: Pick<Breaker, 'isProven'>,
  { share, reuse, timeoutMs, charged = 'answers' }: RunTerms,
): Pick<AskParts, 'freshFrom' | 'terms'> {
  const openedAt = nowMs();
  const lifeMs = (kind: 'hit' | 'miss', operation: CallRequest['operation']) =>
    shelfLifeMs(reuse, kind, operation) * (1 - reuse.spread);
  // What was fetched since the run began is fresh for it, whatever the job says of older answers.
  const freshFrom: AskParts['freshFrom'] = (operation) => ({
    hit: Math.min(openedAt, nowMs() - lifeMs('hit', operation)),
    miss: Math.min(openedAt, nowMs() - lifeMs('miss', operation)),
  });
  return {
    freshFrom,
    terms: (operation) => ({
      ...{ freshFrom: freshFrom(operation), timeoutMs, charged },
      isProven: breaker.isProven,
      keepMs: share.keepMs[operation === 'company' ? 'companies' : 'people'],
      maxBytes: share.maxBytes,
    }),
  };
}
