import type { Call } from '../../src/core/contract/call.ts';
import type { ClientEvent } from '../../src/engine/client/client-event.ts';
import {
  type Client,
  type ClientOptions,
  openClient,
} from '../../src/engine/client/open-client.ts';
import { companyData } from '../../src/engine/providers/company-data/company-data.ts';
import { createFakeClock } from './fake-clock.ts';

export const companyCall = {
  operation: 'company',
  identifier: { kind: 'fqdn', value: 'acme.com.au' },
  country: 'AU',
} as const satisfies Call;

export const peopleCall = {
  operation: 'people',
  companyId: '7',
  country: 'AU',
  from: 0,
  size: 50,
} as const satisfies Call;

/** A signal that never aborts. */
export const noAbort = new AbortController().signal;

export const testKey = 'secret-key-1234';

/** A real client with short limits and a clock that does not wait; it records all events. */
export function openTestClient(
  baseUrl: string,
  options: Partial<ClientOptions> = {},
): Client & { readonly events: ClientEvent[]; readonly sleeps: readonly number[] } {
  const events: ClientEvent[] = [];
  const clock = createFakeClock();
  const client = openClient({
    provider: companyData,
    baseUrl,
    key: testKey,
    rate: 'none',
    concurrency: 4,
    timeoutMs: 5_000,
    attempts: 3,
    maxWaitMs: 60_000,
    clock,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return Object.assign(client, { events, sleeps: clock.sleeps });
}
