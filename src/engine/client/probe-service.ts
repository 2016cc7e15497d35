import { DossierError } from '../../core/errors.ts';
import type { Probe } from '../providers/provider.ts';
import { type Attempt, makeAttempt } from './make-attempt.ts';
import { type ClientOptions, openParts } from './open-client.ts';
import type { RateStore } from './rate/rate-state.ts';

/** Sends one request, which the service refuses if the key is wrong: a free one, unless `mayPay`. */
export async function probeService(
  options: Pick<ClientOptions, 'provider' | 'baseUrl' | 'key' | 'rate' | 'timeoutMs'>,
  stores: readonly RateStore[],
  mayPay = false,
) {
  const { timeoutMs } = options;
  await using parts = openParts(
    // With `hasEverFound`, an empty 404 counts as a miss, which is reported as `unsure` below.
    { ...options, concurrency: 1, attempts: 1, maxWaitMs: timeoutMs, hasEverFound: true },
    stores.length > 0 ? stores : undefined,
  );
  const { runStop } = parts;
  const probe = parts.requests.probe();
  const { method, origin, path } = probe.request;
  const asked = parts.redact(`${method} ${origin}${path}`);
  if (probe.mayBeCharged && !mayPay) return { finding: 'unasked', asked, result: 'free' } as const;
  const patience = setTimeout(
    () => runStop.stop(new Error('the rate limit did not allow a request in time')),
    timeoutMs,
  );
  const probing = { ...parts, requests: { ...parts.requests, of: () => probe.request } };
  try {
    const { signal } = new AbortController();
    const attempt = await makeAttempt(probing, probe.call, { mayBeCharged: false }, signal);
    const finding = findingOf(probe, attempt);
    const isFree = !probe.mayBeCharged || finding === 'throttled';
    return { finding, asked, result: isFree ? 'free' : attempt.verdict.kind } as const;
  } catch (error) {
    if (error === runStop.signal.reason)
      return { finding: 'throttled', asked, result: 'free' } as const;
    throw error;
  } finally {
    clearTimeout(patience);
  }
}

function findingOf({ request: { origin }, findingOf: read }: Probe, { verdict, answer }: Attempt) {
  const { status } = answer;
  switch (verdict.kind) {
    case 'refused':
    case 'forbidden':
      throw new DossierError('KEY_REFUSED', `${origin} says: ${verdict.message}`);
    case 'quota':
      throw new DossierError('QUOTA_SPENT', `${origin} says: ${verdict.message}`);
    case 'throttled':
      return 'throttled';
    case 'hit':
    case 'miss':
    case 'invalid': {
      const finding = read(answer, verdict.kind);
      if (finding === 'foreign') throw otherProgram(origin, status);
      return finding;
    }
    case 'unreadable':
      throw new DossierError('ADAPTER_UNFIT', `${origin} answered, but ${verdict.reason}`);
    default:
      if (status === 0 && verdict.kind === 'unusable') {
        throw new DossierError('SERVICE_MISSING', `${origin} answers with ${verdict.reason}`);
      }
      if (status > 0 && status < 500) throw otherProgram(origin, status);
      throw new DossierError('SERVICE_DOWN', `${origin}: ${verdict.reason}`);
  }
}

function otherProgram(origin: string, status: number) {
  return new DossierError(
    'SERVICE_MISSING',
    `${origin} answers with HTTP ${status}, but does not look like the service; is the path in the URL right?`,
  );
}
