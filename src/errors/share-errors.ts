import type { ErrorFacts } from './error-facts.ts';

/** The Redis through which runs share a key cannot be used. */
export const shareErrors = {
  SHARE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that Redis runs and has room, and that --share, DOSSIER_SHARE or service.share has its address, then run the same command again.',
    onPage:
      'Check that Redis runs and has room, and that service.share in the job file, or DOSSIER_SHARE in the terminal, has its address, then start it again.',
  },
  SHARE_REFUSED: {
    exitCode: 77,
    remedy:
      'Check the user name and password in --share, DOSSIER_SHARE or service.share, and the rights of that user: docs/many-machines.md has the line for Redis.',
    onPage:
      'Check the user name and password in service.share of the job file, or in DOSSIER_SHARE, and the rights of that user: docs/many-machines.md has the line for Redis.',
  },
  SHARE_LOST: {
    exitCode: 75,
    remedy:
      'Run the same command again to go on when Redis is back: what was answered is in the ledger. limits.maxWait says how long a run waits.',
    onPage:
      'Press “Go on” when Redis is back: what was answered is in the ledger. limits.maxWait in the job file says how long a run waits.',
  },
  SHARE_UNFIT: {
    exitCode: 78,
    remedy:
      'Use Redis 6.2 or newer, or Valkey, as a single server that can be written to, with `maxmemory-policy noeviction`.',
  },
} as const satisfies Record<string, ErrorFacts>;
