export interface ErrorFacts {
  readonly exitCode: number;
  readonly remedy: string;
  readonly onPage?: string;
}

export function budgetRemedy(when: string): string {
  return `Run the same command again${when}. \`dossier spend\` shows what used it; for a list, \`dossier export <job>\` writes the result so far.`;
}

/** Scripts rely on the codes, so a code is never reused. */
export const errorCatalog = {
  USAGE: {
    exitCode: 64,
    remedy: 'Add --help to any command to see its options.',
    onPage: 'Reload the page.',
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
    remedy:
      'Put the key there, and nothing else. A job without services.yaml also accepts --key-file.',
    onPage:
      'Enter the key in Settings, or set this variable in the terminal and start `dossier ui` again.',
  },
  SERVICE_MISSING: {
    exitCode: 78,
    remedy:
      'Set DOSSIER_URL, --url or service.url to the URL of the service, such as https://api.example.com/v1. If the message names a variable, set that one. To try sample data, use `--url embedded`.',
    onPage:
      'Enter the URL of the service in Settings, such as https://api.example.com/v1. A variable is corrected in the terminal; then start `dossier ui` again.',
  },
  INPUT_UNREADABLE: {
    exitCode: 65,
    remedy: 'Check the path, the permissions and the format of the file.',
  },
  SUPPRESS_UNREADABLE: {
    exitCode: 65,
    remedy:
      'Nothing was looked up, written or removed. Fix this list of identifiers, or leave it out.',
  },
  INPUT_REFUSED: {
    exitCode: 77,
    remedy:
      'Put a valid user and password into the URL of the list or, if the proxy refused them, into HTTPS_PROXY. If the URL of the list is signed, sign it again. Then try again.',
  },
  INPUT_DOWN: {
    exitCode: 69,
    remedy: 'No call was made. Check the network and any proxy, then try again in a few minutes.',
  },
  INPUT_INVALID: {
    exitCode: 65,
    remedy: 'Fix what the message names, then try again.',
  },
  LIST_EMPTY: {
    exitCode: 65,
    remedy:
      'Check the file, the sheet and the header row. To accept an empty list, put `expect: {rows: ">= 0"}` into the job file.',
    onPage: 'Check the file, the sheet and the header row.',
  },
  LIST_HELD: {
    exitCode: 4,
    remedy:
      'No published result was changed. If the list is right, run `dossier run <job> --accept <hash>` with the hash that `dossier plan <job>` shows. If not, replace the list and run the job again.',
    onPage:
      'No published result was changed. If the list is right, press “The list is right: run it” on Read. If not, replace the list and run it again.',
  },
  CLOCK_AHEAD: {
    exitCode: 4,
    remedy:
      'No published result was changed. If the clock of this machine is right, run `dossier run <job> --accept clock`. If not, correct it and run the job again.',
    onPage:
      'No published result was changed. If the clock of this machine is right, press “The clock is right: run it” on Read. If not, correct it and try again.',
  },
  PRICE_DECLINED: {
    exitCode: 5,
    remedy:
      'No run was stored. To start without the question, add --yes. To spend less, add --max-spend.',
    onPage: 'No run was stored. Press Run to see the price again.',
  },
  STILL_VANISHED: {
    exitCode: 4,
    remedy:
      'No published result was changed. Ask the service provider whether data was lost; the next run tries again. If the companies are really gone, publish the held result with `dossier export <job> --accept`.',
    onPage:
      'No published result was changed. Ask the service provider whether data was lost; the next run tries again. If the companies are really gone, press “The result is right: publish it”.',
  },
  CORRECTIONS_INVALID: {
    exitCode: 78,
    remedy:
      'Fix or remove the line. Each line is a JSON object with the keys `row_key`, `column`, `was`, `now` and `at`.',
  },
  COLUMN_MISSING: {
    exitCode: 65,
    remedy:
      'Nothing was looked up. Put the column back into the list, or correct its name in the job file. `dossier check` tries both.',
    onPage:
      'Nothing was looked up. Put the column back into the list, or choose another column on Read.',
  },
  COLUMNS_UNCLEAR: {
    exitCode: 65,
    remedy:
      'Name the column with --column, its kind with --as (`name` for company names), or the sheet with --sheet. `dossier init <file>` shows what each column holds.',
    onPage: 'On Read, choose the column and what it holds, or choose another sheet or header row.',
  },
  RUN_OUTDATED: {
    exitCode: 65,
    remedy: 'Nothing was looked up. On Read, check what a new run costs, then run it.',
  },
  RUN_MISSING: {
    exitCode: 65,
    remedy:
      '`dossier status` lists jobs and runs. If one is missing, run the job with `dossier run`, or name another ledger with --ledger. `ledger.keepRuns` sets how many runs are kept.',
    onPage: 'History lists the runs. If another run was published meanwhile, reload the page.',
  },
  FILE_EXISTS: {
    exitCode: 64,
    remedy:
      'Nothing was changed. Name another file, or replace this one with --force. If the ledger already exists, remove --new-ledger.',
    onPage: 'Choose another name; existing job files are never replaced.',
  },
  FILE_MISNAMED: {
    exitCode: 64,
    remedy: 'Choose another name. Nothing was changed.',
  },
  FIX_NEEDS_RUN: {
    exitCode: 75,
    remedy: 'Run the job to apply the stored corrections and look up all open rows.',
  },
  FILES_EXHAUSTED: {
    exitCode: 74,
    remedy:
      'Raise the limit on open files (`ulimit -n 1024`, or LimitNOFILE in a systemd unit), then try again.',
  },
  OUTPUT_TROUBLE: {
    exitCode: 74,
    remedy:
      'Free disk space or check the output folder, then run `dossier export`; it makes no call.',
    onPage: 'Free disk space or make the folder writable, then try again.',
  },
  RESULT_OLDER: {
    exitCode: 78,
    remedy:
      'If the run that was not written is the right one, `dossier export <job> --run <run>` puts it there without a call, and later runs follow it. If not, check which ledger and which clock it had.',
    onPage:
      'If this run is the right one, docs/platform.md says how to put it there at no cost. Later runs follow it.',
  },
  OUTPUT_BUSY: {
    exitCode: 75,
    remedy:
      'When the other process has ended, run `dossier export`; it makes no call. Give each job its own folder with output.path.',
    onPage:
      'When the other process has ended, press “Write the result again”, which costs nothing. Give each job its own folder with output.path in its file.',
  },
  FILE_UNWRITABLE: {
    exitCode: 74,
    remedy:
      'Check that the folder exists, is writable and has room, or name another file (for corrections, with input.corrections). Then try again.',
  },
  REGISTER_MISSING: {
    exitCode: 65,
    remedy:
      'Load one with `dossier register load <file>`, or name another with --register or DOSSIER_REGISTER. docs/names.md says where the files are.',
    onPage: 'docs/names.md says where the files are, and how to load them.',
  },
  REGISTER_TROUBLE: {
    exitCode: 74,
    remedy:
      'Check that its folder is writable and has room. A damaged register can be removed and loaded again.',
  },
  REGISTER_BUSY: {
    exitCode: 75,
    remedy: 'Nothing was changed. Run the same load again when the other one has ended.',
  },
  NEWER_VERSION: {
    exitCode: 74,
    remedy:
      'A newer version of Dossier wrote this file. The file was left as it was; upgrade Dossier first.',
  },
  LEDGER_OUTDATED: {
    exitCode: 74,
    remedy:
      'Nothing was changed. The next run upgrades it, too. Both keep a copy of it for 30 days. Older versions of Dossier cannot open an upgraded ledger.',
    onPage:
      'Nothing was changed. Press “Upgrade the ledger”. The upgrade keeps a copy of the ledger for 30 days. Older versions of Dossier cannot open an upgraded ledger.',
  },
  LEDGER_PRERELEASE: {
    exitCode: 74,
    remedy:
      'The file was left as it was. No release can open it. To start anew, move it away; the next run creates a ledger and pays for every answer.',
  },
  FILE_FOREIGN: {
    exitCode: 74,
    remedy: 'The file was left as it was. Name another file, or move this one.',
  },
  JOB_ELSEWHERE: {
    exitCode: 78,
    remedy:
      'Give one of the two jobs another `name`, or its own `ledger:`. If the file has moved here, run `dossier run <job> --adopt` once.',
    onPage:
      'Give one of the two jobs another name, or its own `ledger:`. If the file has moved here, adopt it in a terminal: docs/operations.md says how.',
  },
  LEDGER_TROUBLE: {
    exitCode: 74,
    remedy:
      'Check that the folder exists, is writable and has room, or name another ledger with --ledger or DOSSIER_LEDGER. Then try again.',
    onPage: 'Check that the folder exists, is writable and has room, then try again.',
  },
  LEDGER_DAMAGED: {
    exitCode: 74,
    remedy:
      'Restore a backup. If the job has a snapshot, move the ledger away instead; the next run restores the snapshot. Without either, save the answers of the damaged ledger: `dossier ledger merge <this ledger> --ledger new.db`, then replace it with new.db. Only unreadable answers are paid for again.',
    onPage:
      'Restore a backup. If there is none, docs/operations.md shows how to save the readable answers of the ledger. Only unreadable answers are paid for again.',
  },
  LEDGER_MISSING: {
    exitCode: 74,
    remedy:
      'Check the path (--ledger, or ledger.path in the job file) and that its disk is mounted, or restore a backup. If the job has never run, `dossier run <job> --new-ledger` starts a new ledger and pays for every answer.',
    onPage:
      'Check the path and that its disk is mounted, or restore a backup. If the job has never run, start it in a terminal: docs/operations.md says how.',
  },
  LEDGER_BUSY: {
    exitCode: 75,
    remedy:
      'Find the program that has locked the ledger (`fuser -v <ledger>`), end that program, then try again.',
  },
  JOB_BUSY: {
    exitCode: 75,
    remedy:
      'Wait until the other process has ended, then run the same command again. `dossier ledger info <job>` shows what is using the ledger; `dossier export <job> --output <folder>` writes the result so far.',
    onPage:
      'Wait until the other process has ended, then try again. The table shows the result so far.',
  },
  LEDGER_MISPLACED: {
    exitCode: 74,
    remedy: 'Mount the folder of the ledger instead, because its log and locks are beside it.',
  },
  SERVICE_DOWN: {
    exitCode: 69,
    remedy:
      'Check the URL, the network and any proxy. Then run the same command again. No answer is paid for twice.',
    onPage: 'Press “Continue” in a few minutes. No answer is paid for twice.',
  },
  KEY_REFUSED: {
    exitCode: 77,
    remedy: 'Check this key and the plan it belongs to. Then run the same command again.',
    onPage:
      'Enter the key again in Settings. If a variable of the terminal has it, set that and start `dossier ui` again.',
  },
  JOB_REFUSED: {
    exitCode: 78,
    remedy:
      'Check `identify`, `country` and `service.url` (or --url) in the job file against the message from the service. If they are right, look up a known company with `dossier lookup`, then run the job again.',
    onPage:
      'Check `identify`, `country` and `service.url` in the job file against the message from the service. If DOSSIER_URL is wrong, correct it and start `dossier ui` again.',
  },
  ADAPTER_UNFIT: {
    exitCode: 78,
    remedy:
      'The answers are kept. Correct `record` and `fields` in the adapter; `dossier services try` shows what it reads. The next run reads the kept answers again, free of charge.',
  },
  QUOTA_SPENT: {
    exitCode: 75,
    remedy: 'Top up your account, or wait until your plan renews. Then run the same command again.',
    onPage: 'Top up your account, or wait until your plan renews. Then press “Continue”.',
  },
  THROTTLED_TOO_LONG: {
    exitCode: 75,
    remedy: 'Run the same command again later, or lower --rate.',
    onPage: 'Press “Continue” later, or lower the rate in Settings first.',
  },
  BUDGET_SPENT: {
    exitCode: 75,
    remedy: budgetRemedy(' to continue, or after a budget of a day or month resets'),
    onPage:
      '“Continue” counts as a new start, with the full limit per start. A daily limit resets tomorrow, a monthly one next month. To continue earlier, raise the limit in Settings.',
  },
  INTERRUPTED: {
    exitCode: 130,
    remedy:
      'Run the same command again to continue. `dossier export <job>` writes the result so far.',
    onPage: 'Press “Continue”. No answer is paid for twice.',
  },
  TERMINATED: {
    exitCode: 143,
    remedy:
      'Run the same command again to continue. `dossier export <job>` writes the result so far.',
    onPage: 'Press “Continue”. No answer is paid for twice.',
  },
  NOTIFY_LOST: {
    exitCode: 69,
    remedy: 'Check notify.url, the network and any proxy. Runs do not depend on notifications.',
  },
  SHARE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that Redis is running and has free memory, and check its URL in --share, DOSSIER_SHARE or service.share. Then run the same command again. No answer is paid for twice.',
    onPage:
      'Check that Redis is running and has free memory, and check its URL in service.share in the job file, or in DOSSIER_SHARE. Then start the run again.',
  },
  SHARE_REFUSED: {
    exitCode: 77,
    remedy:
      'Check the user and password in service.share or DOSSIER_SHARE, and the permissions of that user in Redis. docs/many-machines.md has the Redis ACL line.',
  },
  SHARE_UNFIT: {
    exitCode: 78,
    remedy:
      'Use Redis 6.2 or newer, or Valkey, as a single writable server with `maxmemory-policy noeviction`.',
  },
  LEASE_LOST: {
    exitCode: 75,
    remedy:
      'All answers are on this disk, and in the object store unless the message says otherwise. Check that no other process runs this job and that the object store responds. Then run the same command again.',
    onPage:
      'All answers are on this disk, and in the object store unless the message says otherwise. Check that no other process runs this job and that the object store responds. Then press “Continue”.',
  },
  SNAPSHOT_UNSTORED: {
    exitCode: 74,
    remedy:
      'Keep this disk, and check what else writes to the bucket. The next run on this disk stores its ledger in the bucket. If another process has stored a ledger there first, the run renames the ledger on this disk; then copy the answers of the renamed file with `dossier ledger merge`.',
  },
  SNAPSHOT_DAMAGED: {
    exitCode: 74,
    remedy:
      'Nothing was looked up, and the ledger on this machine was left as it was. If the bucket keeps versions, restore an earlier version of the object. If not, set ledger.snapshot to a new URL. Add the answers of a backup or of the previous copy in the bucket with `dossier ledger merge <backup or s3://….copy-…> <job>`, then run the job again.',
  },
  SNAPSHOT_MISMATCH: {
    exitCode: 78,
    remedy:
      'Nothing was changed. Give all jobs on one ledger the same ledger.snapshot, or give each job its own ledger with ledger.path. If a newer version of Dossier wrote the snapshot, upgrade first.',
  },
  STORE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that the object store is running. If it is not S3, check AWS_ENDPOINT_URL. Then run the same command again.',
    onPage:
      'Check that the object store is running. If it is not S3, check AWS_ENDPOINT_URL. Then try again; “Write the result again” costs nothing.',
  },
  STORE_REFUSED: {
    exitCode: 77,
    remedy:
      'Check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the role of the machine) and their permissions: read, write, list and delete objects.',
    onPage:
      'Check the credentials and their permissions: read, write, list and delete objects. Then try again; “Write the result again” costs nothing.',
  },
  BUCKET_MISSING: {
    exitCode: 78,
    remedy:
      'Check the bucket name, AWS_REGION and AWS_ENDPOINT_URL. Dossier does not create buckets.',
  },
  STORE_UNCONDITIONAL: {
    exitCode: 78,
    remedy:
      'Use a store that supports If-None-Match and If-Match on writes, such as S3, Cloudflare R2, Ceph or SeaweedFS. Or keep the ledger on a persistent disk.',
  },
  PACKAGE_MISSING: {
    exitCode: 78,
    remedy: 'Install the packages that the message names, then try again.',
  },
  WAREHOUSE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that PostgreSQL is running, has disk space and is writable, or fix the problem it reports. Then run `dossier export`; it makes no call.',
    onPage:
      'Check that PostgreSQL is running, has disk space and is writable, or fix the problem it reports. Then press “Write the result again”, which costs nothing.',
  },
  WAREHOUSE_REFUSED: {
    exitCode: 77,
    remedy:
      'Correct the user or password, or grant the missing permissions (docs/platform.md lists them). Then run `dossier export`; it makes no call.',
    onPage:
      'Correct the user or password, or grant the missing permissions (docs/platform.md lists them). Then press “Write the result again”, which costs nothing.',
  },
  WAREHOUSE_UNFIT: {
    exitCode: 78,
    remedy:
      'Fix the tables or the connection URL as the message says, or name another schema in the job. Then run `dossier export`; it makes no call.',
    onPage:
      'Fix the tables or the connection URL as the message says, or name another schema in the job file. Then press “Write the result again”, which costs nothing.',
  },
} as const satisfies Record<string, ErrorFacts>;
