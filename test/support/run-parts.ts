import type { Call, CallResult } from '../../src/core/contract/call.ts';
import type { OnEvent } from '../../src/engine/client/client-event.ts';
import { openClient } from '../../src/engine/client/open-client.ts';
import { companyData } from '../../src/engine/providers/company-data/company-data.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { RunParts, ServiceClient } from '../../src/run/run-parts.ts';
import { hitOf } from './answers.ts';

/** All that a run in this process needs but a client. */
export const plainParts = {
  clock: systemClock,
  version: '0.0.0',
  signal: new AbortController().signal,
  observer: { onIngest() {}, onStart() {}, onProgress() {}, onExport() {} },
};

/** A run whose calls a function answers. */
export function answeredBy(
  send: (call: Call, signal: AbortSignal) => CallResult | Promise<CallResult>,
  changes: Partial<RunParts> = {},
): RunParts {
  const client: ServiceClient = { send: async (call, signal) => send(call, signal) };
  return { ...plainParts, openClient: async () => client, ...changes };
}

/** A company for every domain. */
export function companyOfDomain(call: Call): CallResult {
  const fqdn = call.operation === 'company' ? call.identifier.value : '';
  return hitOf({ id: fqdn, fqdn }, fqdn);
}

/** A run that asks a service over HTTP. */
export function asking(
  baseUrl: string,
  { limits }: ResolvedJob,
  changes: Partial<RunParts> = {},
  onEvent: OnEvent = () => {},
): RunParts {
  return {
    ...plainParts,
    openClient: async (facts) =>
      openClient({
        ...limits,
        ...facts,
        provider: companyData,
        baseUrl,
        key: 'k_of_tests',
        onEvent,
      }),
    ...changes,
  };
}
