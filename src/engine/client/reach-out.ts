import { credentialsOf } from '../../core/runtime/log/known-secrets.ts';
import { openSockets } from '../../core/runtime/net/open-sockets.ts';
import { describeFailure } from '../../core/runtime/outside-failures.ts';
import type { HttpRequest } from './wire/exchange.ts';

/** The address is a secret, so redirects are not followed and errors do not name it. */
export async function reachOut(
  address: URL,
  request: Pick<HttpRequest, 'method' | 'headers' | 'body'>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<number> {
  const { origin, pathname, search } = address;
  const sockets = openSockets(address, { concurrency: 1, timeoutMs });
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const { statusCode, body } = await sockets.request({
      ...request,
      origin,
      path: pathname + search,
      headers: { ...request.headers, ...credentialsOf(address) },
      signal: inTime,
    });
    await body.dump();
    return statusCode;
  } catch (error) {
    if (inTime.aborted) throw new Error('no answer in time');
    throw new Error(describeFailure(error), { cause: error });
  } finally {
    await sockets.destroy();
  }
}
