import { openSockets } from '../../core/runtime/net/open-sockets.ts';
import { describeFailure } from '../../core/runtime/outside-failures.ts';
import type { HttpRequest } from './wire/exchange.ts';

/**
 * Sends one request to an address that is not the service, over sockets of its own: proxies and
 * certificates are those of the service. Redirects are not followed, because the address is a secret.
 * Gives the status of the answer; throws in words that do not name the address.
 */
export async function reachOut(
  address: URL,
  request: Pick<HttpRequest, 'method' | 'headers' | 'body'>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<number> {
  const { origin, pathname, search, username, password } = address;
  const sockets = openSockets(address, { concurrency: 1, timeoutMs });
  // `https://user:password@host` asks for them in a header.
  const pair = decodeURIComponent(`${username}:${password}`);
  const basic = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const { statusCode, body } = await sockets.request({
      ...request,
      origin,
      path: pathname + search,
      headers: pair === ':' ? request.headers : { ...request.headers, ...basic },
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
