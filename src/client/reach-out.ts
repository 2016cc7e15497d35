import { openSockets } from '../runtime/net/open-sockets.ts';
import { describeFailure } from '../runtime/outside-failures.ts';
import { openBodyBudget } from './wire/body-budget.ts';
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
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<number> {
  const { timeoutMs, signal } = limits;
  const { origin, pathname, search, username, password } = address;
  const sockets = openSockets(address, { concurrency: 1, timeoutMs });
  // `https://user:password@host` asks for them in a header.
  const pair = decodeURIComponent(`${username}:${password}`);
  const basic = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  const asked = {
    ...request,
    origin,
    path: pathname + search,
    headers: pair === ':' ? headers : { ...headers, ...basic },
  };
  const bodies = openBodyBudget(maxBodyBytes);
  const options = { ...limits, maxBodyBytes, bodies, share: { bytes: 0 }, onStart: () => true };
  try {
    return (await exchange(sockets, asked, options)).status;
  } catch (error) {
    if (error instanceof TimeOverError || signal.aborted) throw new Error('no answer in time');
    throw new Error(describeFailure(error), { cause: error });
  } finally {
    await sockets.destroy();
  }
}
