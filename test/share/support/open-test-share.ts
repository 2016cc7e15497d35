import type { OnEvent } from '../../../src/client/client-event.ts';
import { tellRate } from '../../../src/client/rate/tell-rate.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { openShare, type Share } from '../../../src/share/open-share.ts';

interface TestShare {
  readonly kind?: 'run' | 'worker';
  readonly rate?: number | 'none';
  readonly service?: string;
  readonly concurrency?: number;
  readonly onEvent?: OnEvent;
}

export const account = { service: 'http://127.0.0.1:1', key: 'key-of-the-account' };

/** A run or worker that has joined a share, in this process. */
export function openTestShare(address: string, wanted: TestShare = {}): Promise<Share> {
  const { kind = 'run', rate = 'none', concurrency = 1, onEvent = () => {} } = wanted;
  return openShare({
    ...{ ...account, address: new URL(address), rate, maxWaitMs: 1_000, clock: systemClock },
    ...(wanted.service !== undefined && { service: wanted.service }),
    facts: { kind, version: '1.2.3', concurrency, ...(kind === 'run' && { job: 'nightly' }) },
    onAllowed: tellRate(rate, onEvent),
  });
}
