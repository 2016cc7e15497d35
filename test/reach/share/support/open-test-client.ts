import type { CallRequest } from '../../../../src/core/contract/call.ts';
import type { Client } from '../../../../src/engine/client/open-client.ts';
import { openSharedClient } from '../../../../src/reach/share/open-shared-client.ts';

export const key = 'key-of-the-account';

export const call: CallRequest = {
  operation: 'company',
  identifier: { kind: 'fqdn', value: 'acme.com' },
  country: 'AU',
};

/** The client of a run in this process. */
export function openTestClient(
  redisUrl: string,
  changes: Partial<Parameters<typeof openSharedClient>[0]> = {},
): Promise<Client> {
  const lifeMs = { companiesMs: 60_000, missesMs: 60_000, peopleMs: 60_000 };
  return openSharedClient({
    baseUrl: 'http://127.0.0.1:1',
    key,
    rate: 'none',
    concurrency: 2,
    timeoutMs: 10_000,
    attempts: 1,
    maxWaitMs: 60_000,
    isProven: true,
    redis: new URL(redisUrl),
    maxBytes: 1_000_000,
    reuse: { ...lifeMs, spread: 0, staleOnFailureMs: 0 },
    listener: { onLost() {}, onBack() {}, onTrouble() {} },
    ...changes,
  });
}
