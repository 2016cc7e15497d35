import type { OnEvent } from '../../../src/client/client-event.ts';
import { tellRate } from '../../../src/client/rate/tell-rate.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { openShare, type Share } from '../../../src/share/open-share.ts';

interface TestShare {
  readonly rate?: number | 'none';
  readonly service?: string;
  readonly onEvent?: OnEvent;
}

export const account = { service: 'http://127.0.0.1:1', key: 'key-of-the-account' };

/** A run that has joined a share, in this process. */
export function openTestShare(address: string, wanted: TestShare = {}): Promise<Share> {
  const { rate = 'none', onEvent = () => {} } = wanted;
  return openShare({
    ...{ ...account, address: new URL(address), rate, maxWaitMs: 1_000, clock: systemClock },
    ...(wanted.service !== undefined && { service: wanted.service }),
    onAllowed: tellRate(rate, onEvent),
  });
}
