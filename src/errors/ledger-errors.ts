import type { ErrorFacts } from './error-facts.ts';

/** The ledger cannot be used, or another process uses it or its job. */
export const ledgerErrors = {
  LEDGER_TROUBLE: {
    exitCode: 74,
    remedy: 'Check that the folder exists, is writable and has room, then run the command again.',
    onPage: 'Check that the folder exists, is writable and has room, then try again.',
  },
  LEDGER_DAMAGED: {
    exitCode: 74,
    remedy:
      'Restore a backup, or move it away where the job has a snapshot. Without either, save its answers: `dossier ledger merge <this ledger> --ledger new.db`, then put new.db in its place. Only what cannot be read is paid for again.',
    onPage:
      'Restore a backup. Without one, its answers can be saved in a terminal: docs/operations.md says how. Only what cannot be read is paid for again.',
  },
  LEDGER_MISSING: {
    exitCode: 74,
    remedy:
      'If this is the first day: `dossier run <job> --new-ledger`. If not, check that its disk is mounted and the path is right, or restore a backup: an empty one has to pay for all answers again.',
    onPage:
      'Check that its disk is mounted and the path is right, or restore a backup. On the first day start the job in a terminal: docs/operations.md says how.',
  },
  LEDGER_EXISTS: {
    exitCode: 64,
    remedy:
      'Nothing was asked or changed. Leave --new-ledger away, or name another path with --ledger.',
  },
  LEDGER_NEWER: {
    exitCode: 74,
    remedy: 'This ledger was written by a newer Dossier; upgrade first.',
  },
  LEDGER_OLDER: {
    exitCode: 74,
    remedy:
      'Move it away and run again: a new ledger is made, and has to pay for its answers again.',
  },
  LEDGER_LOST: {
    exitCode: 74,
    remedy:
      'Put the file back, or restore a backup, then run again. Without either, a new run pays for all answers again.',
  },
  LEDGER_LINKED: {
    exitCode: 74,
    remedy:
      'Keep one name of it and remove the others (`find . -samefile <ledger>`); a copy is a file of its own.',
  },
  LEDGER_MOUNTED: {
    exitCode: 74,
    remedy:
      'Mount the folder that holds the ledger instead: its log and locks lie beside the file.',
  },
  LEDGER_BUSY: {
    exitCode: 75,
    remedy:
      'Find the program that holds it (`fuser -v <ledger>` names it), end it, then run the command again.',
    onPage:
      'Find the program that holds it (`fuser -v <ledger>` names it), end it, then try again.',
  },
  LEDGER_IN_USE: {
    exitCode: 75,
    remedy: 'Nothing was removed. Wait until it has ended, then run the same command again.',
  },
  LEDGER_NO_ROOM: {
    exitCode: 74,
    remedy:
      'What was removed is gone, and later runs fill its room inside the file. To make the file smaller, make room on that disk, or name another with TMPDIR, then run the same command again.',
  },
  BACKUP_EXISTS: {
    exitCode: 64,
    remedy: 'Name another file, or add --force to replace it by the new backup.',
  },
  BACKUP_TROUBLE: {
    exitCode: 74,
    remedy:
      'Ledger and older backups are as they were. Make room or name another file, then run the command again.',
  },
  CARE_BUSY: {
    exitCode: 75,
    remedy: 'Wait until it has ended, then run the same command again.',
  },
  RUN_TAKEN: {
    exitCode: 75,
    remedy:
      'Leave the lock files of a ledger in use where they are; the other process goes on with the job.',
  },
  JOB_BUSY: {
    exitCode: 75,
    remedy:
      'Wait until it has ended, then run the same command again; `dossier export <job> --output <folder>` writes what there is so far.',
    onPage: 'Wait until it has ended, then try again; the table shows what there is so far.',
  },
} as const satisfies Record<string, ErrorFacts>;
