import { openSockets } from '../../core/runtime/net/open-sockets.ts';
import { describeFailure } from '../../core/runtime/outside-failures.ts';
import type { HttpRequest } from './wire/exchange.ts';

/** The address is a secret, so redirects are not followed and errors do not name it. */
export async function reachOut(
  address: URL,
  request: Pick<HttpRequest, 'method' | 'headers' | 'body'>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<number> {
  const { origin, pathname, search, username, password } = address;
  const sockets = openSockets(address, { concurrency: 1, timeoutMs });
  // `https://user:password@host` means basic authentication.
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
