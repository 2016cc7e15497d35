import { openSockets } from '../runtime/net/open-sockets.ts';
import { describeFailure } from '../runtime/outside-failures.ts';
import { exchange, type HttpRequest, TimeOverError } from './wire/exchange.ts';

/** More than anybody says about a message that has arrived. */
const maxBodyBytes = 1024 * 1024;

/**
 * Sends one request to an address that is not the service, over sockets of its own: proxies and
 * certificates are those of the service. Redirects are not followed, because the address is a secret.
 * Gives the status of the answer; throws in words that do not name the address.
 */
export async function reachOut(
  address: URL,
  { headers, ...request }: Pick<HttpRequest, 'method' | 'headers' | 'body'>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<number> {
  const sockets = openSockets(address, { concurrency: 1, timeoutMs });
  const asked = {
    ...request,
    origin: address.origin,
    path: `${address.pathname}${address.search}`,
    headers: { ...headers, ...credentials(address) },
  };
  try {
    const { status } = await exchange(sockets, asked, {
      signal,
      timeoutMs,
      maxBodyBytes,
      share: { take: () => true, onRoom: () => {} },
      onStart: () => true,
    });
    return status;
  } catch (error) {
    if (error instanceof TimeOverError || signal.aborted) throw new Error('no answer in time');
    throw new Error(describeFailure(error), { cause: error });
  } finally {
    await sockets.destroy();
  }
}

/** `https://user:password@host` asks for them in a header. */
function credentials({ username, password }: URL): Record<string, string> {
  if (`${username}${password}` === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
