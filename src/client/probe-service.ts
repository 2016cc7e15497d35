import { DossierError } from '../errors.ts';
import { systemClock } from '../runtime/clock.ts';
import { createRedactor } from '../runtime/log/redact.ts';
import { openSockets } from '../runtime/net/open-sockets.ts';
import type { Verdict } from './judge/classify-answer.ts';
import { judgeAttempt } from './judge/judge-attempt.ts';
import { openPermits } from './rate/permits.ts';
import type { RateStore } from './rate/rate-state.ts';
import { openBodyBudget } from './wire/body-budget.ts';
import { createRequestBuilder, parseBaseUrl, parseKey } from './wire/build-request.ts';
import type { HttpAnswer, HttpRequest } from './wire/exchange.ts';
import { sendRequest } from './wire/send-request.ts';

export interface ProbeOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly rate: number | 'none';
  /** The check takes its place in the rate of all who send with the key. */
  readonly stores: readonly RateStore[];
}

/** What the probe found. What would stop a run is thrown, as the run would throw it. */
export type ProbeFinding = 'accepted' | 'throttled' | 'unsure';

/** A body that says no more than its status; an error needs less. */
const maxBodyBytes = 1024 * 1024;

/** A country that the interface does not support: it answers 400. */
const noCountry = 'ZZ';

/**
 * Asks once for no company in no country. That cannot be answered, so it cannot be charged; but a
 * wrong key is refused all the same.
 */
export async function probeService(options: ProbeOptions): Promise<ProbeFinding> {
  const baseUrl = parseBaseUrl(options.baseUrl);
  const key = parseKey(options.key);
  const sockets = openSockets(baseUrl, { concurrency: 1, timeoutMs: options.timeoutMs });
  const { rate, stores } = options;
  using permits = openPermits(rate, systemClock, stores.length > 0 ? { stores } : {});
  const signal = new AbortController().signal;
  const patience = AbortSignal.timeout(options.timeoutMs);
  try {
    const bodies = openBodyBudget(maxBodyBytes);
    const parts = { sockets, clock: systemClock, maxBodyBytes, bodies, ...options };
    const request = unanswerable(baseUrl, key);
    const steps = { takePermit: () => permits.take(patience) };
    const { result } = await sendRequest(parts, request, steps, signal);
    // An empty 404 leaves it open whether the address is right, as a miss does.
    const verdict = judgeAttempt(askedFor, result, createRedactor([key]), true);
    return findingOf(baseUrl, verdict, result);
  } catch (error) {
    if (patience.aborted && error === patience.reason) return 'throttled';
    throw error;
  } finally {
    await sockets.destroy();
  }
}

const askedFor = {
  operation: 'company',
  identifier: { kind: 'id', value: '' },
  country: 'AU',
} as const;

function unanswerable(baseUrl: URL, key: string): HttpRequest {
  const request = createRequestBuilder(baseUrl, key)(askedFor);
  const [path] = request.path.split('?');
  return { ...request, path: `${path}?country=${noCountry}` };
}

function findingOf({ origin }: URL, verdict: Verdict, result: HttpAnswer | Verdict): ProbeFinding {
  const answer = 'status' in result ? result : undefined;
  const { status = 0, body = Buffer.alloc(0) } = answer ?? {};
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
      if (!answer && verdict.kind === 'unusable') {
        throw new DossierError('SERVICE_URL_INVALID', `${origin} answers with ${verdict.reason}`);
      }
      if (answer && status < 500) throw otherProgram(origin, status);
      throw new DossierError('SERVICE_DOWN', `${origin}: ${verdict.reason}`);
  }
}

/** The service speaks JSON; a web page at its address is another program's, or another path's. */
function isWebPage(body: Buffer): boolean {
  return body.toString('utf8', 0, 100).trimStart().startsWith('<');
}

function otherProgram(origin: string, status: number): DossierError {
  return new DossierError(
    'SERVICE_URL_INVALID',
    `${origin} answers HTTP ${status}, but not as the service does; is the path right?`,
  );
}
