import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { DossierError } from '../../core/errors.ts';
import { isLoopback } from '../files/local-path.ts';

/** With a Location; 303 and, for a POST, 301 and 302 turn the request into a GET. */
export const redirections = [301, 302, 303, 307, 308];

/** Uses no proxy for a loopback address, because a proxy would connect to its own machine. */
export function openSockets(
  url: URL,
  options: { readonly concurrency: number; readonly timeoutMs: number },
): Dispatcher {
  const settings = {
    connections: options.concurrency,
    pipelining: 1,
    // Calls on one HTTP/2 connection would fail together, and undici hides when each starts.
    allowH2: false,
    connectTimeout: options.timeoutMs,
  };
  if (isLoopback(url.hostname)) return new Pool(url.origin, settings);
  try {
    return new EnvHttpProxyAgent(settings);
  } catch (error) {
    throw new DossierError('SERVICE_MISSING', 'HTTP_PROXY or HTTPS_PROXY is not a valid URL', {
      cause: error,
    });
  }
}
