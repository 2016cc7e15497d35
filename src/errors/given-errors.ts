import type { ErrorFacts } from './error-facts.ts';

/** What the user gave cannot be used: the command line, the job or the list. */
export const givenErrors = {
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
  SERVICE_URL_INVALID: {
    exitCode: 78,
    remedy: 'Give service.url or --url an address like https://api.example.com/v1.',
  },
  INPUT_UNREADABLE: {
    exitCode: 65,
    remedy: 'Check the path, its permissions and that the file is what its name says.',
  },
  INPUT_REFUSED: {
    exitCode: 77,
    remedy:
      'Give the address of the list a user and a password that hold, or sign it anew, then run the command again.',
  },
  INPUT_DOWN: {
    exitCode: 69,
    remedy:
      'Start it again in some minutes; no call was made. `dossier check <job>` shows whether the list can be read.',
  },
  INPUT_TOO_LARGE: {
    exitCode: 65,
    remedy:
      'Raise input.maxBytes in the job file (`dossier init` drafts one for a bare list), or have the list compressed (.gz, .zst).',
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
      '`dossier run <job>` applies the corrections that are kept, and asks for whatever else is open.',
  },
  COLUMNS_UNCLEAR: {
    exitCode: 65,
    remedy:
      'Name the column with --column, and with --as what it holds; `dossier init <file>` shows what each column holds.',
  },
  NOTHING_TO_IDENTIFY: {
    exitCode: 65,
    remedy:
      'Give the list a column of domains, ABNs or network URLs; `dossier identify` checks values.',
  },
  IDENTIFIER_REJECTED: {
    exitCode: 65,
    remedy: 'Nothing was asked. Mend the identifier, or say with --as what kind it is.',
  },
  RUN_OUTDATED: {
    exitCode: 65,
    remedy: 'Nothing was asked. Look at what a run would take now, then run it.',
  },
  RUN_MISSING: {
    exitCode: 65,
    remedy: 'Run the job first with `dossier run`; `dossier status` lists the runs of a ledger.',
  },
  RUN_PRUNED: {
    exitCode: 65,
    remedy:
      'Choose a later run. `ledger.keepRuns` of the job says how many the ledger keeps; a backup of that time still has it.',
  },
  NOTHING_HELD: {
    exitCode: 65,
    remedy:
      '`dossier status <job>` lists its runs, and says whether one waits to be accepted. `dossier export <job> --run <run>` writes the files of any.',
  },
  JOB_EXISTS: {
    exitCode: 64,
    remedy: 'Add --force to replace it, or name another place with --to.',
  },
  ADDRESS_UNUSABLE: { exitCode: 64, remedy: 'Choose another --host or --port.' },
} as const satisfies Record<string, ErrorFacts>;
