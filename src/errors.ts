/**
 * Every way Dossier stops on purpose. The code is for scripts and documents and is never reused;
 * the message of the error says what happened to what; the remedy says what to do next.
 */
export const errorCatalog = {
  USAGE: { exitCode: 64, remedy: 'Add --help after any command to see what it takes.' },
  NODE_TOO_OLD: {
    exitCode: 64,
    remedy: 'Install Node 22.19 or newer, then run the command again.',
  },
  KEY_NEEDED: {
    exitCode: 64,
    remedy: 'Give a key with --key-file or DOSSIER_SERVICE_KEYS, or bind to 127.0.0.1.',
  },
  JOB_INVALID: {
    exitCode: 78,
    remedy: 'Fix the job file; `dossier schema` and docs/job-file.md say what it may hold.',
  },
  KEY_MISSING: {
    exitCode: 78,
    remedy: 'Set DOSSIER_API_KEY, or put the key into a file and name it with --key-file.',
  },
  SERVICE_MISSING: {
    exitCode: 78,
    remedy:
      'Set DOSSIER_URL, --url or service.url to its address. `--url embedded` tries it over sample data.',
  },
  INPUT_UNREADABLE: {
    exitCode: 65,
    remedy: 'Check the path, its permissions and that the file is what its name says.',
  },
  COLUMN_UNKNOWN: { exitCode: 64, remedy: 'Name a column of the file with --column.' },
  SHEET_UNKNOWN: {
    exitCode: 65,
    remedy: 'Name a sheet of the workbook with --sheet or input.sheet, or leave both away.',
  },
  INPUT_INVALID: {
    exitCode: 65,
    remedy: 'Mend the list as said above, then run the command again.',
  },
  CORRECTIONS_INVALID: {
    exitCode: 78,
    remedy:
      'Mend the line or remove it: each is a JSON object with row_key, column, was, now and at.',
  },
  MENDED_UNUSABLE: {
    exitCode: 65,
    remedy:
      'Mend cells in the rejects file of the job, which has a row_key for each row, and give that.',
  },
  MEND_NEEDS_RUN: {
    exitCode: 75,
    remedy:
      'The corrections are kept: `dossier run <job>` applies them, and asks for whatever else is open.',
  },
  COLUMNS_UNCLEAR: {
    exitCode: 65,
    remedy:
      'Name the column with --column, and with --as what it holds; `dossier init <file>` shows what each column holds.',
  },
  IDENTIFIER_REJECTED: {
    exitCode: 65,
    remedy: 'Nothing was asked. Mend the identifier, or say with --as what kind it is.',
  },
  RUN_MISSING: {
    exitCode: 65,
    remedy: 'Run the job first with `dossier run`; `dossier status` lists the runs of a ledger.',
  },
  NOTHING_HELD: {
    exitCode: 65,
    remedy:
      '`dossier status <job>` says which run is held. `dossier export <job> --run <run>` writes any other.',
  },
  RUN_PRUNED: {
    exitCode: 65,
    remedy:
      'Choose a later run. `ledger.keepRuns` of the job says how many the ledger keeps; a backup of that time still has it.',
  },
  NOTHING_TO_IDENTIFY: {
    exitCode: 65,
    remedy:
      'Give the list a column of domains, ABNs or network URLs; `dossier identify` checks values.',
  },
  PAGE_MISSING: {
    exitCode: 74,
    remedy: 'Run `npm run build:page` in the folder of Dossier, or install the package again.',
  },
  JOB_EXISTS: {
    exitCode: 64,
    remedy: 'Add --force to replace it, or name another place with --to.',
  },
  JOB_UNWRITABLE: {
    exitCode: 74,
    remedy: 'Name a folder that exists and may be written to with --to, or - for standard output.',
  },
  STORE_MISSING: {
    exitCode: 64,
    remedy:
      'Fill one with `dossier load <file…> --store <path>`, or leave --store away for sample data.',
  },
  ADDRESS_UNUSABLE: { exitCode: 64, remedy: 'Choose another --host or --port.' },
  SERVICE_DOWN: {
    exitCode: 69,
    remedy:
      'Run `dossier check <job>`, then the same command again: what was answered is not asked twice.',
  },
  NOTIFY_LOST: {
    exitCode: 69,
    remedy: 'Check notify.url, the network and any proxy between. No run depends on it.',
  },
  ADDRESS_IN_USE: { exitCode: 69, remedy: 'Stop the other program or choose another --port.' },
  OUTPUT_TROUBLE: {
    exitCode: 74,
    remedy:
      'Make room or check the folder of the outputs, then run `dossier export`; it makes no call.',
  },
  OUTPUT_BUSY: {
    exitCode: 75,
    remedy:
      'Give each job a folder of its own with output.path, then run `dossier export`; it makes no call.',
  },
  STORE_TROUBLE: {
    exitCode: 74,
    remedy: 'Check that the folder exists, is writable and has room, then run the command again.',
  },
  STORE_FOREIGN: {
    exitCode: 74,
    remedy: 'Name another file with --store; this one belongs to another program and is unchanged.',
  },
  STORE_NEWER: {
    exitCode: 74,
    remedy: 'This store was written by a newer Dossier; upgrade, or load the data anew.',
  },
  LEDGER_TROUBLE: {
    exitCode: 74,
    remedy: 'Check that the folder exists, is writable and has room, then run the command again.',
  },
  FILES_EXHAUSTED: {
    exitCode: 74,
    remedy:
      'Raise the limit of open files (`ulimit -n 1024`, LimitNOFILE of a unit), then run the command again.',
  },
  LEDGER_DAMAGED: {
    exitCode: 74,
    remedy:
      'Restore it from a backup, or move it away: a new ledger has to pay for its answers again.',
  },
  LEDGER_MISSING: {
    exitCode: 74,
    remedy:
      'Check that its disk is mounted and the path is right, or restore a backup. `dossier ledger create` makes an empty one, which has to pay for all answers again.',
  },
  LEDGER_EXISTS: {
    exitCode: 64,
    remedy: 'Nothing was changed. Use it as it is, or name another path with --ledger.',
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
  LEDGER_IN_USE: {
    exitCode: 75,
    remedy: 'Nothing was removed. Wait until it has ended, then run the same command again.',
  },
  LEDGER_NO_ROOM: {
    exitCode: 74,
    remedy:
      'What was removed is gone, and later runs fill its room inside the file. To make the file smaller, make room on that disk, or name another with TMPDIR, then run the same command again.',
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
      'Run again if it is back; else move the file named above to its place, or give it with --ledger.',
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
  },
  BUDGET_SPENT: {
    exitCode: 75,
    remedy:
      'Run the same command again when the budget is free, or raise it: --max-calls, or `budget` of the job. `dossier spend` shows what it went to, `dossier export <job>` writes what there is.',
  },
  INTERRUPTED: {
    exitCode: 130,
    remedy: 'Run the same command again to go on; `dossier export <job>` writes what there is.',
  },
  TERMINATED: {
    exitCode: 143,
    remedy: 'Run the same command again to go on; `dossier export <job>` writes what there is.',
  },
  QUOTA_SPENT: {
    exitCode: 75,
    remedy: 'Top up or wait for the next period, then run the same command again to go on.',
  },
  THROTTLED_TOO_LONG: {
    exitCode: 75,
    remedy: 'Run the same command again later to go on, or lower --rate.',
  },
  KEY_REFUSED: {
    exitCode: 77,
    remedy: 'Check DOSSIER_API_KEY or the key file and the plan behind it, then run again.',
  },
  JOB_REFUSED: {
    exitCode: 78,
    remedy: 'Check service.url, country and identify of the job against what the service said.',
  },
  SERVICE_NOT_FOUND: {
    exitCode: 78,
    remedy:
      'Check the address in service.url or --url. If it is right, `dossier lookup` a company that the service knows, then run again.',
  },
  SERVICE_URL_INVALID: {
    exitCode: 78,
    remedy: 'Give service.url or --url an address like https://api.example.com/v1.',
  },
} as const satisfies Record<string, { exitCode: number; remedy: string }>;

/**
 * What each exit code means to a script or scheduler, and when it starts Dossier again:
 * `soon` after a pause, since the run goes on where it was and asks nothing twice; with the `next`
 * regular start, since one at once would spend another budget; or when a `person` has looked at it.
 */
export const exitCodes = {
  0: {
    means: 'finished: every row is settled as matched, not_found or invalid',
    again: 'next',
    advice: 'Nothing to do.',
  },
  1: {
    means: 'a bug',
    again: 'person',
    advice:
      'Report it with the text on standard error. Answers are in the ledger; a newer version goes on with it.',
  },
  3: {
    means: 'finished, but some rows or people searches failed after all attempts',
    again: 'next',
    advice:
      'The files are whole and name the failed rows. The next run asks for those again and reuses the rest.',
  },
  4: {
    means: 'finished, but an expectation of the job was not met: the files are held aside',
    again: 'person',
    advice:
      'The last good files stand as they were; the new ones are in `held-<run>` beside them, and the report says what was expected. If the result is right, `dossier export <job> --accept` publishes it. If not, do nothing: the next run asks again for what was not found.',
  },
  64: {
    means: 'wrong command line: nothing was called',
    again: 'person',
    advice: 'Mend the command.',
  },
  65: {
    means: 'the input cannot be read or used',
    again: 'person',
    advice:
      'Look at the list: is it there, whole, and what its name says? `dossier check` names the trouble.',
  },
  69: {
    means: 'the service is down: too many failures in a row; rows stay open',
    again: 'soon',
    advice:
      'What is known is written, marked incomplete. Start it again in some minutes. If it stays down, `dossier check` shows what the service answers.',
  },
  74: {
    means: 'trouble with the disk, the ledger or the store',
    again: 'person',
    advice:
      'Make room, mend permissions or restore the ledger. Files that could not be written come with `dossier export`, without a call.',
  },
  75: {
    means:
      'stopped early on purpose (budget, quota, throttled too long, another process holds the job, its ledger or its folder): run again to resume',
    again: 'next',
    advice:
      'What is known is written, marked incomplete, unless another process was in the way. The next run goes on. If this happens every night, raise the budget, the plan or the time between runs.',
  },
  77: {
    means: 'the key was refused: stopped at once, rows stay open',
    again: 'person',
    advice: 'What is known is written, marked incomplete. Renew the key, then start it again.',
  },
  78: {
    means: 'the job file is invalid, its address is wrong, or the service refuses all it asks',
    again: 'person',
    advice: 'Mend the job file; the message says what is wrong, and where.',
  },
  130: {
    means: 'interrupted by SIGINT after saving; a second one leaves at once',
    again: 'soon',
    advice:
      'Start it again. After a second signal `dossier status` names the calls that may have been charged without an answer.',
  },
  143: {
    means: 'interrupted by SIGTERM or SIGHUP after saving; a second one leaves at once',
    again: 'soon',
    advice:
      'Start it again. Platforms send it before they move or stop a container; give the run `limits.timeout` and ten seconds more to store what is on the wire.',
  },
} as const satisfies Record<number, ExitCode>;

interface ExitCode {
  readonly means: string;
  readonly again: 'soon' | 'next' | 'person';
  readonly advice: string;
}

export type ErrorCode = keyof typeof errorCatalog;

export class DossierError extends Error {
  override readonly name = 'DossierError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Ends a call whose request had left when the run was stopped, and that brought no whole answer: it may
 * have been charged. The cause is what stopped the run.
 */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';

  constructor(cause: unknown) {
    super('the run was stopped before the answer came', { cause });
  }
}

/** The code with which a process ends that this was thrown in; what we did not foresee is a bug. */
export function exitCodeOf(thrown: unknown): number {
  const error = withoutFiles(thrown);
  return error instanceof DossierError ? errorCatalog[error.code].exitCode : 1;
}

/** The code of what ended a command, for scripts: one of the catalogue, or `BUG`. */
export function reasonOf(thrown: unknown): ErrorCode | 'BUG' {
  const error = withoutFiles(thrown);
  return error instanceof DossierError ? error.code : 'BUG';
}

/** Names a lack of open files as the cause: it may hit any place that opens a file, and each says less. */
export function withoutFiles(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!/\bE[MN]FILE\b|too many open files/i.test(cause.message)) continue;
    const message = `this process may open no more files and sockets: ${cause.message}`;
    return new DossierError('FILES_EXHAUSTED', message, { cause: error });
  }
  return error;
}
