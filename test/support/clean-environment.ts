/**
 * What a command under test sees of the machine: no colour, no key and no proxy. The compile cache of
 * vitest.config.ts is passed on, since without it Node strips the types of `src/main.ts` at each start.
 */
export function cleanEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, NO_COLOR: '1', ...extra };
}
