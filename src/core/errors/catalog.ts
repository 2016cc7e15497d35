export interface ErrorFacts {
  readonly exitCode: number;
  readonly remedy: string;
  readonly onPage?: string;
}

/** Every way Dossier stops on purpose. Scripts rely on the codes, so a code is never reused. */
export const errorCatalog = {
  // Command line, job file or list
  USAGE: {
    exitCode: 64,
    remedy: 'Add --help after any command to see what it takes.',
    onPage: 'Load the page again.',
  },
  NODE_TOO_OLD: {
    exitCode: 64,
    remedy: 'Install Node 22.19 or newer, then run the command again.',
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
      'Set DOSSIER_URL, --url or service.url to its address, such as https://api.example.com/v1. `--url embedded` tries it over sample data.',
    onPage:
      'Give the job file an address such as https://api.example.com/v1 as service.url, or set DOSSIER_URL in the terminal and start `dossier ui` again.',
  },
  INPUT_UNREADABLE: {
    exitCode: 65,
    remedy: 'Check the path, its permissions and that the file is what its name says.',
  },
  SUPPRESS_UNREADABLE: {
    exitCode: 65,
    remedy:
      'Nothing was looked up, written or forgotten. Repair the list, or take it out of `suppress`, --suppress or --file.',
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
  INPUT_INVALID: {
    exitCode: 65,
    remedy: 'Fix it as said above, then run the command again.',
    onPage: 'Fix it as said above, then run it again.',
  },
  LIST_EMPTY: {
    exitCode: 65,
    remedy:
      'Check that this is the file, the sheet and the header row you mean. `expect: {rows: ">= 0"}` in the job file lets an empty list pass.',
  },
  LIST_HELD: {
    exitCode: 4,
    remedy:
      'The last result stands as it was. If the list is right, `dossier run <job> --accept` looks it up. If not, replace the list and run the job again.',
    onPage:
      'The last result stands as it was. Replace the list and run it again, or, if it is right, run it on Read all the same.',
  },
  STILL_VANISHED: {
    exitCode: 4,
    remedy:
      'The last result stands as it was. Ask the service whether it has lost its data; the next run tries again. If the companies are gone, `dossier export <job> --accept` publishes the held result.',
    onPage:
      'The last result stands as it was. Ask the service whether it has lost its data; the next run tries again. If the companies are gone, press “The result is right: publish it”.',
  },
  CORRECTIONS_INVALID: {
    exitCode: 78,
    remedy:
      'Fix the line or remove it: each is a JSON object with row_key, column, was, now and at.',
  },
  COLUMNS_UNCLEAR: {
    exitCode: 65,
    remedy:
      'Name the column with --column, what it holds with --as, or the sheet with --sheet; `dossier init <file>` shows what each column holds.',
    onPage:
      'Choose on Read by which column companies are found, and what it holds; or another sheet or header row.',
  },
  RUN_OUTDATED: {
    exitCode: 65,
    remedy: 'Nothing was asked. Look at what a run would take now, then run it.',
  },
  RUN_MISSING: {
    exitCode: 65,
    remedy:
      'Run the job with `dossier run`, or name another ledger with --ledger. `dossier status` lists jobs and their runs; `ledger.keepRuns` sets how many runs are kept.',
    onPage:
      'History shows the runs that there are. Load the page again if one was published meanwhile.',
  },
  FILE_EXISTS: {
    exitCode: 64,
    remedy:
      'Nothing was changed. Name another file, or add --force to replace it; a ledger that is there needs no --new-ledger.',
    onPage: 'Choose another name; no job file is replaced.',
  },
  FIX_NEEDS_RUN: {
    exitCode: 75,
    remedy:
      '`dossier run <job>` applies the corrections that are kept, and asks for whatever else is open.',
    onPage: 'A run applies the corrections that are kept, and asks for whatever else is open.',
  },
  // Files other than the ledger
  FILES_EXHAUSTED: {
    exitCode: 74,
    remedy:
      'Raise the limit of open files (`ulimit -n 1024`, LimitNOFILE of a unit), then run the command again.',
    onPage:
      'Raise the limit of open files in the terminal (`ulimit -n 1024`), then start `dossier ui` again.',
  },
  OUTPUT_TROUBLE: {
    exitCode: 74,
    remedy:
      'Make room or check the folder of the outputs, then run `dossier export`; it makes no call.',
    onPage: 'Make room on the disk or let Dossier write to the folder, then try again.',
  },
  OUTPUT_BUSY: {
    exitCode: 75,
    remedy:
      'Run `dossier export` when the other process or session has ended; it makes no call. Give each job a folder of its own with output.path.',
    onPage:
      'Press “Write the result again” when the other process or session has ended; it makes no call. Give each job a folder of its own with output.path in its file.',
  },
  FILE_UNWRITABLE: {
    exitCode: 74,
    remedy:
      'Check that the folder exists, may be written to and has room, or name another file, for corrections with input.corrections in the job; then run the command again.',
    onPage:
      'Check that the folder exists, may be written to and has room, or choose another name, for corrections with input.corrections in the job file; then try again.',
  },
  NEWER_VERSION: {
    exitCode: 74,
    remedy: 'A newer Dossier has written this file, which is unchanged; upgrade first.',
  },
  FILE_FOREIGN: {
    exitCode: 74,
    remedy: 'The file is unchanged: name another, or move it away.',
  },
  // Ledger
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
  LEDGER_BUSY: {
    exitCode: 75,
    remedy:
      'Find the program that holds it (`fuser -v <ledger>` names it), end it, then run the command again.',
    onPage:
      'Find the program that holds it (`fuser -v <ledger>` names it), end it, then try again.',
  },
  JOB_BUSY: {
    exitCode: 75,
    remedy:
      'Wait until it has ended, then run the same command again; `dossier ledger info <job>` shows who holds the ledger, `dossier export <job> --output <folder>` writes what there is so far.',
    onPage: 'Wait until it has ended, then try again; the table shows what there is so far.',
  },
  LEDGER_MISPLACED: {
    exitCode: 74,
    remedy:
      'Keep one name of the ledger (`find . -samefile <ledger>` shows others), and mount the folder that holds it: its log and locks lie beside the file.',
  },
  // Runs stopped by the service, the budget or a signal
  SERVICE_DOWN: {
    exitCode: 69,
    remedy:
      'Run `dossier check <job>`, then the same command again: what was answered is not asked twice.',
    onPage: 'Press “Go on” in some minutes: what was answered is not asked twice.',
  },
  KEY_REFUSED: {
    exitCode: 77,
    remedy: 'Check DOSSIER_API_KEY or the key file and the plan behind it, then run again.',
    onPage:
      'Check the key and the plan behind it. Set a new DOSSIER_API_KEY in the terminal and start `dossier ui` again, or replace the key file; then press “Go on”.',
  },
  JOB_REFUSED: {
    exitCode: 78,
    remedy:
      'Check service.url or --url, and country and identify of the job against what the service said. If they are right, `dossier lookup` a company that the service knows, then run again.',
    onPage:
      'Check service.url, country and identify in the job file against what the service said. Where DOSSIER_URL in the terminal gives the address, fix it there and start `dossier ui` again.',
  },
  QUOTA_SPENT: {
    exitCode: 75,
    remedy: 'Top up or wait for the next period, then run the same command again to go on.',
    onPage: 'Top up or wait for the next period, then press “Go on”.',
  },
  THROTTLED_TOO_LONG: {
    exitCode: 75,
    remedy: 'Run the same command again later to go on, or lower --rate.',
    onPage: 'Press “Go on” later, or lower limits.rate in the job file first.',
  },
  BUDGET_SPENT: {
    exitCode: 75,
    remedy:
      'Run the same command again when the budget is free, or raise it: --max-calls, or `budget` of the job. `dossier spend` shows what it went to, `dossier export <job>` writes what there is.',
    onPage:
      '“Go on” asks for what is left, with the budget of a start anew; it is a field on Read. A budget of a day or month is free with the next one, or raised as `budget` in the job file.',
  },
  INTERRUPTED: {
    exitCode: 130,
    remedy: 'Run the same command again to go on; `dossier export <job>` writes what there is.',
    onPage: 'Press “Go on”: what was answered is not asked twice.',
  },
  TERMINATED: {
    exitCode: 143,
    remedy: 'Run the same command again to go on; `dossier export <job>` writes what there is.',
    onPage: 'Press “Go on”: what was answered is not asked twice.',
  },
  NOTIFY_LOST: {
    exitCode: 69,
    remedy: 'Check notify.url, the network and any proxy between. No run depends on it.',
  },
  // Redis, which shares a key between runs
  SHARE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that Redis runs and has room, and that --share, DOSSIER_SHARE or service.share has its address. Then run the same command again: it goes on, and nothing is paid for twice.',
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
  SHARE_UNFIT: {
    exitCode: 78,
    remedy:
      'Use Redis 6.2 or newer, or Valkey, as a single server that can be written to, with `maxmemory-policy noeviction`.',
  },
  // Snapshots and the lease on the ledger
  LEASE_LOST: {
    exitCode: 75,
    remedy:
      'What was answered is on this disk, and in the store unless it is said otherwise. Check that no other process runs this job and that the store can be reached, then run the same command again to go on.',
    onPage:
      'What was answered is on this disk, and in the store unless it is said otherwise. Check that no other process runs this job and that the store can be reached, then press “Go on”.',
  },
  SNAPSHOT_UNSTORED: {
    exitCode: 74,
    remedy:
      'Keep this disk, and check what else writes to the bucket. The next run on it stores the ledger, or renames it where another process has stored one since; then `dossier ledger merge` takes in its answers.',
  },
  SNAPSHOT_DAMAGED: {
    exitCode: 74,
    remedy:
      'Nothing was asked, and the ledger of this machine is as it was. Put the object back if the bucket keeps versions. Else name another place with ledger.snapshot, take in the copy before it (`.copy-…` in the bucket) or a backup with `dossier ledger merge <copy> <job>`, then run again.',
  },
  SNAPSHOT_MISMATCH: {
    exitCode: 78,
    remedy:
      'Nothing was changed. Give all jobs on one ledger the same ledger.snapshot, written by this version of Dossier or an older one, or each a ledger of its own with ledger.path.',
  },
  // Object storage
  STORE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that the store runs and that AWS_ENDPOINT_URL has its address, if it is not S3 itself, then run the same command again.',
    onPage:
      'Check that the store runs and that AWS_ENDPOINT_URL in the terminal has its address, if it is not S3 itself, then press “Write the result again”; it makes no call.',
  },
  STORE_REFUSED: {
    exitCode: 77,
    remedy:
      'Check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the role of the machine) and what they may do: read, write, list and delete objects there.',
    onPage:
      'Check the credentials in the terminal and what they may do: read, write, list and delete objects there. Then press “Write the result again”; it makes no call.',
  },
  BUCKET_MISSING: {
    exitCode: 78,
    remedy:
      'Check the name of the bucket, AWS_REGION and AWS_ENDPOINT_URL; Dossier makes no bucket.',
  },
  STORE_UNCONDITIONAL: {
    exitCode: 78,
    remedy:
      'Use a store that heeds If-None-Match and If-Match when an object is written, as S3, Cloudflare R2, Ceph and SeaweedFS say that theirs do, or keep the ledger on a disk that lasts.',
  },
  PACKAGE_MISSING: {
    exitCode: 78,
    remedy: 'Install what the message names, then run the same command again.',
    onPage: 'Install what the message names, then start `dossier ui` again.',
  },
  // PostgreSQL as a destination. A failed load changes nothing there.
  WAREHOUSE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that PostgreSQL runs, has room and can be written to, or fix what it says. Then run `dossier export`, which makes no call.',
    onPage:
      'Check that PostgreSQL runs, has room and can be written to, or fix what it says. Then press “Write the result again”, which makes no call.',
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
} as const satisfies Record<string, ErrorFacts>;
