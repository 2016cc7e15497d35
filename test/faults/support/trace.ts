import type { StartOptions } from './world.ts';

/** The way in which a system call fails. */
export type Injection = 'signal=KILL' | 'error=EIO' | 'error=ENOSPC';

/** System calls that Node and SQLite use for the disk; their names differ between architectures. */
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
 * Options that make system calls fail: the n-th of its kind in a thread, or with `then` also all that
 * follow. With paths, only calls on these files count.
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
