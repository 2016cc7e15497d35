import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { DossierError } from '../../errors.ts';
import { isLoopback } from '../files/local-path.ts';

/**
 * The sockets to one service, or to where a list is. HTTP_PROXY, HTTPS_PROXY and NO_PROXY are honoured as undici does,
 * except that a loopback address is never sent to a proxy: that would ask the proxy's own machine,
 * and the bundled service has to work wherever a proxy is set for everything.
 */
export function openSockets(
  url: URL,
  options: { readonly concurrency: number; readonly timeoutMs: number },
): Dispatcher {
  const settings = {
    connections: options.concurrency,
    pipelining: 1,
    // Many calls over one HTTP/2 connection would fail together, and the start of each is not seen.
    allowH2: false,
    connectTimeout: options.timeoutMs,
  };
  if (isLoopback(url.hostname)) return new Pool(url.origin, settings);
  try {
    return new EnvHttpProxyAgent(settings);
  } catch (error) {
    throw new DossierError(
      'SERVICE_MISSING',
      'HTTP_PROXY or HTTPS_PROXY does not hold the address of a proxy',
      { cause: error },
    );
  }
}
