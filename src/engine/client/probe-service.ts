import { DossierError } from '../../core/errors.ts';
import type { CallResultKind } from '../../core/rules/outcomes.ts';
import type { Probe } from '../providers/provider.ts';
import { CallRequest, noBudget } from './call-request.ts';
import { type Attempt, isUnpaid, makeAttempt } from './make-attempt.ts';
import { type ClientOptions, openParts } from './open-client.ts';
import type { RateStore } from './rate/rate-state.ts';

export interface ProbeBudget {
  /** Call before the request is sent. Throws if a budget has no request left. */
  reserve(): void;
  /** If it is never called, the request may have been charged. */
  end(how: CallResultKind | 'unsent' | 'free', isUnpaid?: boolean): void;
}

/** Sends one request, which the service refuses if the key is wrong: a free one, unless it is counted. */
export async function probeService(
  options: Pick<
    ClientOptions,
    'provider' | 'baseUrl' | 'key' | 'keyPlace' | 'rate' | 'timeoutMs' | 'charged'
  >,
  stores: readonly RateStore[],
  budget?: ProbeBudget,
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
  const { mayBeCharged } = probe;
  const uncharged = { asked, mayBeCharged, isCharged: false } as const;
  if (mayBeCharged && !budget) return { finding: 'unasked', ...uncharged } as const;
  if (mayBeCharged) budget?.reserve();
  const patience = setTimeout(
    () => runStop.stop(new Error('the rate limit did not allow a request in time')),
    timeoutMs,
  );
  const probing = { ...parts, requests: { ...parts.requests, requestFor: () => probe.request } };
  try {
    const { signal } = new AbortController();
    const request = new CallRequest(probe.call, noBudget);
    const attempt = await makeAttempt(probing, request, signal);
    const isCounted = mayBeCharged && request.mayBeCharged;
    const costsNothing = isUnpaid(attempt, parts.charged);
    const isCharged = isCounted && !costsNothing;
    const { kind } = attempt.verdict;
    if (mayBeCharged && !isCounted) budget?.end(attempt.response.status > 0 ? 'free' : 'unsent');
    if (isCounted && isAnswer(kind)) budget?.end(kind, costsNothing);
    return { ...uncharged, finding: findingOf(probe, attempt, parts.keyPlace), isCharged } as const;
  } catch (error) {
    if (error !== runStop.signal.reason) throw error;
    if (mayBeCharged) budget?.end('unsent');
    return { finding: 'throttled', ...uncharged } as const;
  } finally {
    clearTimeout(patience);
  }
}

const answers = ['hit', 'miss', 'invalid', 'oversized', 'unreadable'] as const;

function isAnswer(kind: string): kind is (typeof answers)[number] {
  return (answers as readonly string[]).includes(kind);
}

function findingOf(
  { request: { origin }, findingOf: read }: Probe,
  { verdict, response }: Attempt,
  keyPlace: string,
) {
  const { status } = response;
  switch (verdict.kind) {
    case 'refused':
    case 'forbidden':
      throw new DossierError(
        'KEY_REFUSED',
        `${origin} refused the key${keyPlace}: ${verdict.message}`,
      );
    case 'quota':
      throw new DossierError('QUOTA_SPENT', `${origin} says: ${verdict.message}`);
    case 'throttled':
      return 'throttled';
    case 'hit':
    case 'miss':
    case 'invalid': {
      const finding = read(response, verdict.kind);
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
