/*
 * The parts of undici that are its dispatchers and nothing else. The package as a whole also loads
 * fetch, web sockets, caches and mocks: 80 ms of CPU and 15 MB in each process and thread that calls.
 * Its version is pinned, so that these paths stay.
 */
declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  const EnvHttpProxyAgent: typeof import('undici').EnvHttpProxyAgent;
  export = EnvHttpProxyAgent;
}

declare module 'undici/lib/dispatcher/pool.js' {
  const Pool: typeof import('undici').Pool;
  export = Pool;
}
