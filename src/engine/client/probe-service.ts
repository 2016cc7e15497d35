import { DossierError } from '../../core/errors.ts';
import { type Attempt, makeAttempt } from './make-attempt.ts';
import { type ClientOptions, openParts } from './open-client.ts';
import type { RateStore } from './rate/rate-state.ts';

/** Only `operation` matters, because another request is sent. */
const probeCall = {
  operation: 'company',
  identifier: { kind: 'id', value: '' },
  country: 'AU',
} as const;

/** The request names no company, so there is nothing to charge. A wrong key is still refused. */
export async function probeService(
  options: Pick<ClientOptions, 'provider' | 'baseUrl' | 'key' | 'rate' | 'timeoutMs'>,
  stores: readonly RateStore[],
) {
  const { timeoutMs } = options;
  await using parts = openParts(
    // With `hasEverFound`, an empty 404 counts as a miss, which is reported as `unsure` below.
    { ...options, concurrency: 1, attempts: 1, maxWaitMs: timeoutMs, hasEverFound: true },
    stores.length > 0 ? stores : undefined,
  );
  const { runStop } = parts;
  const patience = setTimeout(
    () => runStop.stop(new Error('the rate limit did not allow a request in time')),
    timeoutMs,
  );
  const request = parts.requests.probe();
  const probing = { ...parts, requests: { ...parts.requests, of: () => request } };
  try {
    const { signal } = new AbortController();
    const attempt = await makeAttempt(probing, probeCall, { mayBeCharged: false }, signal);
    return findingOf(request.origin, attempt);
  } catch (error) {
    if (error === runStop.signal.reason) return 'throttled';
    throw error;
  } finally {
    clearTimeout(patience);
  }
}

function findingOf(origin: string, { verdict, answer: { status, body } }: Attempt) {
  switch (verdict.kind) {
    case 'refused':
    case 'forbidden':
      throw new DossierError('KEY_REFUSED', `${origin} says: ${verdict.message}`);
    case 'quota':
      throw new DossierError('QUOTA_SPENT', `${origin} says: ${verdict.message}`);
    case 'throttled':
      return 'throttled';
    case 'invalid':
      return status === 400 || status === 422 ? 'accepted' : 'unsure';
    case 'hit':
    case 'miss':
      if (isWebPage(body)) throw otherProgram(origin, status);
      return status === 404 ? 'unsure' : 'accepted';
    default:
      if (status === 0 && verdict.kind === 'unusable') {
        throw new DossierError('SERVICE_MISSING', `${origin} answers with ${verdict.reason}`);
      }
      if (status > 0 && status < 500) throw otherProgram(origin, status);
      throw new DossierError('SERVICE_DOWN', `${origin}: ${verdict.reason}`);
  }
}

function isWebPage(body: Buffer) {
  return body.toString('utf8', 0, 100).trimStart().startsWith('<');
}

function otherProgram(origin: string, status: number) {
  return new DossierError(
    'SERVICE_MISSING',
    `${origin} answers with HTTP ${status}, but does not look like the service; is the path in the URL right?`,
  );
}
