import type { StartOptions } from './world.ts';

/** How a system call goes wrong. */
export type Injection = 'signal=KILL' | 'error=EIO' | 'error=ENOSPC';

/** Calls by which Node and SQLite use the disk; the names differ between kinds of processors. */
export const diskCalls = {
  write: 'pwrite64,write,writev',
  pwrite: 'pwrite64',
  read: 'pread64',
  sync: 'fsync,fdatasync',
  rename: '/^rename',
  remove: '/^unlink',
  truncate: 'ftruncate',
} as const;

/**
 * Options that make system calls go wrong below JavaScript: the n-th of their kind in a thread, or
 * with `then` all that follow. With paths, only calls on these files count.
 */
export function withTrace(
  call: keyof typeof diskCalls,
  injection: Injection,
  which: {
    readonly nth: number;
    readonly andAllLater?: boolean;
    readonly paths?: readonly string[];
  },
): StartOptions {
  const when = `${which.nth}${which.andAllLater ? '+' : ''}`;
  const paths = (which.paths ?? []).flatMap((path) => ['-P', path]);
  const quiet = ['strace', '-f', '-qqq', '-o', '/dev/null', ...paths];
  const calls = diskCalls[call];
  return {
    under: [...quiet, '-e', `trace=${calls}`, '-e', `inject=${calls}:${injection}:when=${when}`],
  };
}
