import type { ErrorFacts } from './error-facts.ts';

/** A file other than the ledger cannot be read or written. */
export const fileErrors = {
  FILES_EXHAUSTED: {
    exitCode: 74,
    remedy:
      'Raise the limit of open files (`ulimit -n 1024`, LimitNOFILE of a unit), then run the command again.',
    onPage:
      'Raise the limit of open files in the terminal (`ulimit -n 1024`), then start `dossier ui` again.',
  },
  PAGE_MISSING: {
    exitCode: 74,
    remedy: 'Run `npm run build:page` in the folder of Dossier, or install the package again.',
  },
  JOB_UNWRITABLE: {
    exitCode: 74,
    remedy: 'Name a folder that exists and may be written to with --to, or - for standard output.',
    onPage: 'Choose another name, or let Dossier write to the folder.',
  },
  CORRECTIONS_UNWRITABLE: {
    exitCode: 74,
    remedy:
      'Name a file that may be written with input.corrections in the job, then run the command again; nothing was asked.',
    onPage:
      'Let Dossier write to the folder, or name another file with input.corrections in the job file; nothing was asked.',
  },
  OUTPUT_TROUBLE: {
    exitCode: 74,
    remedy:
      'Make room or check the folder of the outputs, then run `dossier export`; it makes no call.',
    onPage: 'Make room on the disk or let Dossier write to the folder, then try again.',
  },
  OUTPUT_UNREACHED: {
    exitCode: 74,
    remedy:
      'Fix what is named, then run `dossier export <job>` with the same --output, if one was given: it writes all places again, and makes no call.',
    onPage:
      'Fix what is named, then press “Write the result again”: all places are written, and no call is made.',
  },
  OUTPUT_BUSY: {
    exitCode: 75,
    remedy:
      'Give each job a folder of its own with output.path, then run `dossier export`; it makes no call.',
    onPage:
      'Give each job a folder of its own with output.path in its file, then press “Write the result again”; it makes no call.',
  },
  STORE_MISSING: {
    exitCode: 64,
    remedy:
      'Fill one with `dossier load <file…> --store <path>`, or leave --store away for sample data.',
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
} as const satisfies Record<string, ErrorFacts>;
