import type { ErrorFacts } from './error-facts.ts';

/** What the user gave cannot be used: the command line, the job or the list. */
export const givenErrors = {
  USAGE: {
    exitCode: 64,
    remedy: 'Add --help after any command to see what it takes.',
    onPage: 'Load the page again.',
  },
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
    onPage:
      'Set DOSSIER_API_KEY in the terminal and start `dossier ui` again, or name a file that holds the key as service.keyFile in the job file.',
  },
  SERVICE_MISSING: {
    exitCode: 78,
    remedy:
      'Set DOSSIER_URL, --url or service.url to its address. `--url embedded` tries it over sample data.',
    onPage:
      'Set DOSSIER_URL in the terminal and start `dossier ui` again, or give the job file the address as service.url.',
  },
  SERVICE_URL_INVALID: {
    exitCode: 78,
    remedy: 'Give service.url or --url an address like https://api.example.com/v1.',
    onPage:
      'Give service.url in the job file, or DOSSIER_URL in the terminal, an address like https://api.example.com/v1.',
  },
  INPUT_UNREADABLE: {
    exitCode: 65,
    remedy: 'Check the path, its permissions and that the file is what its name says.',
  },
  INPUT_REFUSED: {
    exitCode: 77,
    remedy:
      'Give the address of the list a user and a password that hold, or sign it anew, then run the command again.',
    onPage:
      'Give the address of the list in the job file a user and a password that hold, or sign it anew, then run it again.',
  },
  INPUT_DOWN: {
    exitCode: 69,
    remedy:
      'Start it again in some minutes; no call was made. `dossier check <job>` shows whether the list can be read.',
    onPage: 'Run it again in some minutes; no call was made.',
  },
  INPUT_TOO_LARGE: {
    exitCode: 65,
    remedy:
      'Raise input.maxBytes in the job file (`dossier init` drafts one for a bare list), or have the list compressed (.gz, .zst).',
    onPage: 'Raise input.maxBytes in the job file, or have the list compressed (.gz, .zst).',
  },
  COLUMN_UNKNOWN: { exitCode: 64, remedy: 'Name a column of the file with --column.' },
  SHEET_UNKNOWN: {
    exitCode: 65,
    remedy: 'Name a sheet of the workbook with --sheet or input.sheet, or leave both away.',
    onPage: 'Choose another sheet on Read.',
  },
  INPUT_INVALID: {
    exitCode: 65,
    remedy: 'Fix the list as said above, then run the command again.',
    onPage: 'Fix the list as said above, then run it again.',
  },
  CORRECTIONS_INVALID: {
    exitCode: 78,
    remedy:
      'Fix the line or remove it: each is a JSON object with row_key, column, was, now and at.',
  },
  MENDED_UNUSABLE: {
    exitCode: 65,
    remedy:
      'Fix cells in the rejects file of the job, which has a row_key for each row, and give that.',
  },
  MEND_NEEDS_RUN: {
    exitCode: 75,
    remedy:
      '`dossier run <job>` applies the corrections that are kept, and asks for whatever else is open.',
    onPage: 'A run applies the corrections that are kept, and asks for whatever else is open.',
  },
  COLUMNS_UNCLEAR: {
    exitCode: 65,
    remedy:
      'Name the column with --column, and with --as what it holds; `dossier init <file>` shows what each column holds.',
    onPage: 'Choose on Read by which column companies are found, and what it holds.',
  },
  NOTHING_TO_IDENTIFY: {
    exitCode: 65,
    remedy:
      'Give the list a column of domains, ABNs or network URLs; `dossier identify` checks values.',
    onPage:
      'Give the list a column of domains, ABNs or network URLs, or choose another sheet or header row on Read.',
  },
  IDENTIFIER_REJECTED: {
    exitCode: 65,
    remedy: 'Nothing was asked. Fix the identifier, or say with --as what kind it is.',
  },
  RUN_OUTDATED: {
    exitCode: 65,
    remedy: 'Nothing was asked. Look at what a run would take now, then run it.',
  },
  RUN_MISSING: {
    exitCode: 65,
    remedy: 'Run the job first with `dossier run`; `dossier status` lists the runs of a ledger.',
    onPage: 'Run the list first; History shows the runs that there are.',
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
    onPage: 'Load the page again: the result was published or replaced meanwhile.',
  },
  JOB_EXISTS: {
    exitCode: 64,
    remedy: 'Add --force to replace it, or name another place with --to.',
    onPage: 'Choose another name; no job file is replaced.',
  },
  ADDRESS_UNUSABLE: { exitCode: 64, remedy: 'Choose another --host or --port.' },
} as const satisfies Record<string, ErrorFacts>;
