import { DossierError } from '../errors.ts';
import { systemClock } from '../runtime/clock.ts';
import { createRedactor } from '../runtime/redact.ts';
import { createRequestBuilder, parseBaseUrl, parseKey } from './build-request.ts';
import { classifyAnswer } from './classify-answer.ts';
import type { HttpRequest } from './exchange.ts';
import { openSockets } from './open-sockets.ts';
import { openPermits } from './permits.ts';
import { type AttemptResult, sendRequest } from './send-request.ts';
import { tidyText } from './tidy-text.ts';

export interface ProbeOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly timeoutMs: number;
}

/** What could be learnt; whatever keeps a run from working is thrown as the run would throw it. */
export type ProbeFinding = 'accepted' | 'throttled' | 'unsure';

/** A body that says no more than its status; an error needs less. */
const maxBodyBytes = 1024 * 1024;

/** The country that stands for none: the interface answers 400 to what it does not support. */
const noCountry = 'ZZ';

/**
 * Asks once for no company in no country. That cannot be answered, so it cannot be charged; but a
 * wrong key is refused all the same.
 */
export async function probeService(options: ProbeOptions): Promise<ProbeFinding> {
  const baseUrl = parseBaseUrl(options.baseUrl);
  const key = parseKey(options.key);
  const sockets = openSockets(baseUrl, { concurrency: 1, timeoutMs: options.timeoutMs });
  const permits = openPermits('none', systemClock);
  const signal = new AbortController().signal;
  try {
    const parts = { sockets, clock: systemClock, maxBodyBytes, ...options };
    const request = unanswerable(baseUrl, key);
    const result = await sendRequest(parts, request, () => permits.take(signal), signal);
    return judge(baseUrl, result, (text) => tidyText(text, createRedactor([key])));
  } finally {
    await sockets.dispatcher.destroy();
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

function judge(
  { origin }: URL,
  result: AttemptResult,
  tidy: (text: string) => string,
): ProbeFinding {
  if (result.kind === 'unusable') {
    throw new DossierError('SERVICE_URL_INVALID', `${origin} answers with ${tidy(result.reason)}`);
  }
  if (result.kind !== 'answered') {
    throw new DossierError('SERVICE_DOWN', `${origin}: ${tidy(result.reason)}`);
  }
  const { answer } = result;
  const verdict = classifyAnswer(askedFor, answer);
  switch (verdict.kind) {
    case 'refused':
      throw new DossierError('KEY_REFUSED', `${origin} says: ${tidy(verdict.message)}`);
    case 'quota':
      throw new DossierError('QUOTA_SPENT', `${origin} says: ${tidy(verdict.message)}`);
    case 'throttled':
      return 'throttled';
    case 'invalid':
      return answer.status === 400 || answer.status === 422 ? 'accepted' : 'unsure';
    case 'hit':
    case 'miss':
      if (isWebPage(answer.body)) throw otherProgram(origin, answer.status);
      return answer.status === 404 ? 'unsure' : 'accepted';
    default:
      if (answer.status < 500) throw otherProgram(origin, answer.status);
      throw new DossierError('SERVICE_DOWN', `${origin}: ${tidy(verdict.reason)}`);
  }
}

/** A service of companies speaks JSON; a page at its address is somebody else's, or another path's. */
function isWebPage(body: Buffer): boolean {
  return body.toString('utf8', 0, 100).trimStart().startsWith('<');
}

function otherProgram(origin: string, status: number): DossierError {
  return new DossierError(
    'SERVICE_URL_INVALID',
    `${origin} answers HTTP ${status}, but not as the service does; is the path right?`,
  );
}
