/**
 * The environment of a command under test, without colours, keys and proxies of the machine. The
 * compile cache of vitest.config.ts is passed on: without it Node strips types at each start.
 */
export function cleanEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  // Relative, so that each test folder has its own ledger of the user.
  const own = { NO_COLOR: '1', XDG_DATA_HOME: '.home' };
  return { PATH, HOME, NODE_COMPILE_CACHE, ...own, ...extra };
}
