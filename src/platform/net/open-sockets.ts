import { createRequire } from 'node:module';
import type * as undici from 'undici';
import { DossierError } from '../../core/errors.ts';
import { isLoopback } from '../files/local-path.ts';

/** With a Location; 303 and, for a POST, 301 and 302 turn the request into a GET. */
export const redirections = [301, 302, 303, 307, 308];

const require = createRequire(import.meta.url);

/** Uses no proxy for a loopback address, because a proxy would connect to its own machine. */
export function openSockets(
  url: URL,
  options: { readonly concurrency: number; readonly timeoutMs: number },
): undici.Dispatcher {
  const settings = {
    connections: options.concurrency,
    pipelining: 1,
    // Calls on one HTTP/2 connection would fail together, and undici hides when each starts.
    allowH2: false,
    connectTimeout: options.timeoutMs,
  };
  // As its index does, which takes 75 ms longer, because it also loads fetch and WebSocket.
  const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');
  Object.assign(Dispatcher.prototype, require('undici/lib/api'));
  if (isLoopback(url.hostname)) {
    const Pool: typeof undici.Pool = require('undici/lib/dispatcher/pool.js');
    return new Pool(url.origin, settings);
  }
  const EnvHttpProxyAgent: typeof undici.EnvHttpProxyAgent = require('undici/lib/dispatcher/env-http-proxy-agent.js');
  try {
    return new EnvHttpProxyAgent(settings);
  } catch (error) {
    throw new DossierError('SERVICE_MISSING', 'HTTP_PROXY or HTTPS_PROXY is not a valid URL', {
      cause: error,
    });
  }
}
