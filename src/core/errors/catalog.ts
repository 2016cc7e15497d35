export interface ErrorFacts {
  readonly exitCode: number;
  readonly remedy: string;
  readonly onPage?: string;
}

/** Scripts rely on the codes, so a code is never reused. */
export const errorCatalog = {
  // Command line, job file or list
  USAGE: {
    exitCode: 64,
    remedy: 'Add --help to any command to see its options.',
    onPage: 'Load the page again.',
  },
  NODE_TOO_OLD: {
    exitCode: 64,
    remedy: 'Install Node 22.19 or newer, then try again.',
  },
  JOB_INVALID: {
    exitCode: 78,
    remedy: 'Fix the job file. docs/job-file.md and `dossier schema` list its keys.',
  },
  KEY_MISSING: {
    exitCode: 78,
    remedy: 'Set DOSSIER_API_KEY, or put the key into a file and name it with --key-file.',
    onPage:
      'Set DOSSIER_API_KEY in the terminal and start `dossier ui` again, or name a key file as service.keyFile in the job file.',
  },
  SERVICE_MISSING: {
    exitCode: 78,
    remedy:
      'Set DOSSIER_URL, --url or service.url to its address, such as https://api.example.com/v1. To try sample data, use `--url embedded`.',
    onPage:
      'Set service.url in the job file, such as https://api.example.com/v1, or set DOSSIER_URL in the terminal and start `dossier ui` again.',
  },
  INPUT_UNREADABLE: {
    exitCode: 65,
    remedy: 'Check the path, the permissions and the format of the file.',
  },
  SUPPRESS_UNREADABLE: {
    exitCode: 65,
    remedy: 'Nothing was looked up, written or forgotten. Repair the list, or leave it out.',
  },
  INPUT_REFUSED: {
    exitCode: 77,
    remedy:
      'Give the address of the list a valid user and password, or sign it again. Then try again.',
  },
  INPUT_DOWN: {
    exitCode: 69,
    remedy: 'No call was made. Try again in some minutes.',
  },
  INPUT_INVALID: {
    exitCode: 65,
    remedy: 'Fix what the message names, then try again.',
  },
  LIST_EMPTY: {
    exitCode: 65,
    remedy:
      'Check the file, the sheet and the header row. To accept an empty list, put `expect: {rows: ">= 0"}` into the job file.',
  },
  LIST_HELD: {
    exitCode: 4,
    remedy:
      'The last result has not changed. If the list is right, run `dossier run <job> --accept`. If not, replace the list and run the job again.',
    onPage:
      'The last result has not changed. Replace the list and run it again. If the list is right, run it on Read all the same.',
  },
  STILL_VANISHED: {
    exitCode: 4,
    remedy:
      'The last result has not changed. Ask the service if it lost data; the next run tries again. If the companies are gone, publish the held result with `dossier export <job> --accept`.',
    onPage:
      'The last result has not changed. Ask the service if it lost data; the next run tries again. If the companies are gone, press “The result is right: publish it”.',
  },
  CORRECTIONS_INVALID: {
    exitCode: 78,
    remedy:
      'Fix or remove the line. Each line is a JSON object with row_key, column, was, now and at.',
  },
  COLUMNS_UNCLEAR: {
    exitCode: 65,
    remedy:
      'Name the column with --column, its kind with --as, or the sheet with --sheet. `dossier init <file>` shows what each column holds.',
    onPage: 'Choose the column on Read, and what it holds; or another sheet or header row.',
  },
  RUN_OUTDATED: {
    exitCode: 65,
    remedy: 'Nothing was looked up. Look at the new plan, then run it.',
  },
  RUN_MISSING: {
    exitCode: 65,
    remedy:
      'Run the job with `dossier run`, or name another ledger with --ledger. `dossier status` lists jobs and runs; `ledger.keepRuns` says how many runs stay.',
    onPage: 'History shows the runs. Load the page again if one was published since.',
  },
  FILE_EXISTS: {
    exitCode: 64,
    remedy:
      'Nothing was changed. Name another file, or replace it with --force. If the ledger is there, remove --new-ledger.',
    onPage: 'Choose another name; no job file is replaced.',
  },
  FIX_NEEDS_RUN: {
    exitCode: 75,
    remedy: 'Run the job: that applies the stored corrections and looks up all open rows.',
  },
  // Files other than the ledger
  FILES_EXHAUSTED: {
    exitCode: 74,
    remedy:
      'Raise the limit of open files (`ulimit -n 1024`, LimitNOFILE of a unit), then start it again.',
  },
  OUTPUT_TROUBLE: {
    exitCode: 74,
    remedy:
      'Free disk space or check the output folder, then run `dossier export`; it makes no call.',
    onPage: 'Free disk space or make the folder writable, then try again.',
  },
  OUTPUT_BUSY: {
    exitCode: 75,
    remedy:
      'When the other process has ended, run `dossier export`; it makes no call. Give each job its own folder with output.path.',
    onPage:
      'When the other process has ended, press “Write the result again”; it makes no call. Give each job its own folder with output.path in its file.',
  },
  FILE_UNWRITABLE: {
    exitCode: 74,
    remedy:
      'Check that the folder exists, is writable and has room, or name another file (input.corrections for corrections). Then try again.',
  },
  NEWER_VERSION: {
    exitCode: 74,
    remedy: 'A newer Dossier wrote this file. It has not changed; upgrade first.',
  },
  FILE_FOREIGN: {
    exitCode: 74,
    remedy: 'The file has not changed. Name another file, or move this one.',
  },
  // Ledger
  LEDGER_TROUBLE: {
    exitCode: 74,
    remedy: 'Check that the folder exists, is writable and has room, then try again.',
  },
  LEDGER_DAMAGED: {
    exitCode: 74,
    remedy:
      'Restore a backup, or move the ledger away if the job has a snapshot. Otherwise save its answers: `dossier ledger merge <this ledger> --ledger new.db`, then replace it with new.db. Only unreadable answers are paid for again.',
    onPage:
      'Restore a backup. Without one, docs/operations.md shows how to save its answers in a terminal. Only unreadable answers are paid for again.',
  },
  LEDGER_MISSING: {
    exitCode: 74,
    remedy:
      'On the first day, run `dossier run <job> --new-ledger`. Otherwise check the path and that its disk is mounted, or restore a backup: an empty ledger pays for all answers again.',
    onPage:
      'Check the path and that its disk is mounted, or restore a backup. On the first day, start the job in a terminal: docs/operations.md says how.',
  },
  LEDGER_BUSY: {
    exitCode: 75,
    remedy: 'Find the program that locks it (`fuser -v <ledger>`), end it, then try again.',
  },
  JOB_BUSY: {
    exitCode: 75,
    remedy:
      'Wait until it has ended, then run the same command again. `dossier ledger info <job>` shows who uses the ledger; `dossier export <job> --output <folder>` writes the result so far.',
    onPage: 'Wait until it has ended, then try again. The table shows the result so far.',
  },
  LEDGER_MISPLACED: {
    exitCode: 74,
    remedy:
      'Keep one name of the ledger (`find . -samefile <ledger>` shows others). Mount its folder, not the file: its log and locks are beside it.',
  },
  // Runs stopped by the service, the budget or a signal
  SERVICE_DOWN: {
    exitCode: 69,
    remedy:
      'Check the address, the network and any proxy. Then run the same command again. Answers are not paid twice.',
    onPage: 'Press “Go on” in some minutes. Answers are not paid twice.',
  },
  KEY_REFUSED: {
    exitCode: 77,
    remedy: 'Check DOSSIER_API_KEY or the key file and its plan, then run it again.',
    onPage:
      'Check the key and its plan. Set a new DOSSIER_API_KEY in the terminal and start `dossier ui` again, or replace the key file. Then press “Go on”.',
  },
  JOB_REFUSED: {
    exitCode: 78,
    remedy:
      'Compare service.url or --url, country and identify with the message of the service. If they are right, `dossier lookup` a known company, then run it again.',
    onPage:
      'Compare service.url, country and identify in the job file with the message of the service. If DOSSIER_URL is wrong, fix it and start `dossier ui` again.',
  },
  QUOTA_SPENT: {
    exitCode: 75,
    remedy: 'Top up or wait for the next period, then run the same command again.',
    onPage: 'Top up or wait for the next period, then press “Go on”.',
  },
  THROTTLED_TOO_LONG: {
    exitCode: 75,
    remedy: 'Run the same command again later, or lower --rate.',
    onPage: 'Press “Go on” later, or lower limits.rate in the job file first.',
  },
  BUDGET_SPENT: {
    exitCode: 75,
    remedy:
      'Run the same command again in the next period, or raise the budget with --max-calls or `budget` of the job. `dossier spend` shows where it went; `dossier export <job>` writes the result so far.',
    onPage:
      '“Go on” looks up the rest with a new budget per start; it is a field on Read. A budget per day or month is free again in the next one, or raise `budget` in the job file.',
  },
  INTERRUPTED: {
    exitCode: 130,
    remedy: 'Run the same command again to go on. `dossier export <job>` writes the result so far.',
    onPage: 'Press “Go on”. Answers are not paid twice.',
  },
  TERMINATED: {
    exitCode: 143,
    remedy: 'Run the same command again to go on. `dossier export <job>` writes the result so far.',
    onPage: 'Press “Go on”. Answers are not paid twice.',
  },
  NOTIFY_LOST: {
    exitCode: 69,
    remedy: 'Check notify.url, the network and any proxy. No run depends on it.',
  },
  // Redis, which shares a key between runs
  SHARE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that Redis runs and has room, and its address in --share, DOSSIER_SHARE or service.share. Then run the same command again. Answers are not paid twice.',
    onPage:
      'Check that Redis runs and has room, and its address in service.share of the job file or DOSSIER_SHARE. Then start it again.',
  },
  SHARE_REFUSED: {
    exitCode: 77,
    remedy:
      'Check the user, its password and its rights in service.share or DOSSIER_SHARE. docs/many-machines.md has the line for Redis.',
  },
  SHARE_UNFIT: {
    exitCode: 78,
    remedy:
      'Use Redis 6.2 or newer, or Valkey, as a single writable server with `maxmemory-policy noeviction`.',
  },
  // Snapshots and the lease on the ledger
  LEASE_LOST: {
    exitCode: 75,
    remedy:
      'Answers are on this disk, and in the store unless the message says otherwise. Check that no other process runs this job and that the store answers. Then run the same command again.',
    onPage:
      'Answers are on this disk, and in the store unless the message says otherwise. Check that no other process runs this job and that the store answers. Then press “Go on”.',
  },
  SNAPSHOT_UNSTORED: {
    exitCode: 74,
    remedy:
      'Keep this disk, and check what else writes to the bucket. The next run on it stores the ledger, or renames it if another process stored one since. Then `dossier ledger merge` takes in its answers.',
  },
  SNAPSHOT_DAMAGED: {
    exitCode: 74,
    remedy:
      'Nothing was looked up, and the ledger of this machine has not changed. Restore the object if the bucket keeps versions. Otherwise set another ledger.snapshot, take in the copy before it (`.copy-…` in the bucket) or a backup with `dossier ledger merge <copy> <job>`, then run it again.',
  },
  SNAPSHOT_MISMATCH: {
    exitCode: 78,
    remedy:
      'Nothing was changed. Give all jobs on one ledger the same ledger.snapshot, written by this or an older version, or give each job its own ledger with ledger.path.',
  },
  // Object storage
  STORE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that the store runs, and AWS_ENDPOINT_URL if it is not S3. Then run the same command again.',
    onPage:
      'Check that the store runs, and AWS_ENDPOINT_URL if it is not S3. Then press “Write the result again”; it makes no call.',
  },
  STORE_REFUSED: {
    exitCode: 77,
    remedy:
      'Check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the role of the machine) and their rights: read, write, list and delete objects.',
    onPage:
      'Check the credentials and their rights: read, write, list and delete objects. Then press “Write the result again”; it makes no call.',
  },
  BUCKET_MISSING: {
    exitCode: 78,
    remedy:
      'Check the name of the bucket, AWS_REGION and AWS_ENDPOINT_URL. Dossier creates no bucket.',
  },
  STORE_UNCONDITIONAL: {
    exitCode: 78,
    remedy:
      'Use a store that supports If-None-Match and If-Match on writes, such as S3, Cloudflare R2, Ceph or SeaweedFS. Or keep the ledger on a persistent disk.',
  },
  PACKAGE_MISSING: {
    exitCode: 78,
    remedy: 'Install what the message names, then start it again.',
  },
  // PostgreSQL as a destination
  WAREHOUSE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that PostgreSQL runs, has room and is writable, or fix what it says. Then run `dossier export`; it makes no call.',
    onPage:
      'Check that PostgreSQL runs, has room and is writable, or fix what it says. Then press “Write the result again”; it makes no call.',
  },
  WAREHOUSE_REFUSED: {
    exitCode: 77,
    remedy:
      'Fix the user, its password or its rights (docs/platform.md lists them). Then run `dossier export`; it makes no call.',
    onPage:
      'Fix the user, its password or its rights (docs/platform.md lists them). Then press “Write the result again”; it makes no call.',
  },
  WAREHOUSE_UNFIT: {
    exitCode: 78,
    remedy:
      'Fix the tables or the address as the message says, or name another schema in the job. Then run `dossier export`; it makes no call.',
    onPage:
      'Fix the tables or the address as the message says, or name another schema in the job file. Then press “Write the result again”; it makes no call.',
  },
} as const satisfies Record<string, ErrorFacts>;
