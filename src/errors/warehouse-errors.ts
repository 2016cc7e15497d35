import type { ErrorFacts } from './error-facts.ts';

/** The PostgreSQL that a result is loaded into cannot be used. A load that fails changes nothing there. */
export const warehouseErrors = {
  WAREHOUSE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that PostgreSQL runs and takes connections at the address of the job, then run `dossier export`; it makes no call.',
    onPage:
      'Check that PostgreSQL runs and takes connections at the address of the job, then press “Write the result again”; it makes no call.',
  },
  WAREHOUSE_REFUSED: {
    exitCode: 77,
    remedy:
      'Fix the user, its password or its rights (docs/platform.md lists those it needs), then run `dossier export`; it makes no call.',
    onPage:
      'Fix the user, its password or its rights (docs/platform.md lists those it needs), then press “Write the result again”; it makes no call.',
  },
  WAREHOUSE_UNFIT: {
    exitCode: 78,
    remedy:
      'Fix the tables or the address as the message says, or name another schema in the job, then run `dossier export`; it makes no call.',
    onPage:
      'Fix the tables or the address as the message says, or name another schema in the job file, then press “Write the result again”; it makes no call.',
  },
  WAREHOUSE_BUSY: {
    exitCode: 75,
    remedy: 'Run `dossier export` when the other session has ended; it makes no call.',
    onPage: 'Press “Write the result again” when the other session has ended; it makes no call.',
  },
  WAREHOUSE_TROUBLE: {
    exitCode: 74,
    remedy: 'Fix what PostgreSQL complains about, then run `dossier export`; it makes no call.',
    onPage:
      'Fix what PostgreSQL complains about, then press “Write the result again”; it makes no call.',
  },
  WAREHOUSE_UNSURE: {
    exitCode: 74,
    remedy:
      'Run `dossier export` when PostgreSQL is back: what is loaded already stays as it is, and no call is made.',
    onPage:
      'Press “Write the result again” when PostgreSQL is back: what is loaded already stays as it is, and no call is made.',
  },
} as const satisfies Record<string, ErrorFacts>;
