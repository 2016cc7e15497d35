import { resolve } from 'node:path';
import { z } from 'zod';
import { errorCatalog } from '../core/errors.ts';
import {
  count,
  countOrNull,
  counts,
  string,
  time,
  timeOrNull,
  yesOrNo,
} from '../core/values/fields.ts';
import { listed } from '../core/values/format.ts';
import { readAudit } from '../engine/ledger/care/audit.ts';
import { backupLedger } from '../engine/ledger/care/backup-ledger.ts';
import { examineLedger, measureLedger, type Part } from '../engine/ledger/care/examine-ledger.ts';
import { mergeLedger } from '../engine/ledger/care/merge-ledger.ts';
import { pruneLedger } from '../engine/ledger/care/prune-ledger.ts';
import { copyKeptDays, upgradeLedger } from '../engine/ledger/care/upgrade-ledger.ts';
import { refuseMissing } from '../engine/ledger/file/ledger-file.ts';
import { SnapshotJson } from '../facts/status.ts';
import { isJobPath } from '../job/from-list/job-name.ts';
import { userLedger } from '../run/jobs/find-ledger.ts';
import { readPastJob } from '../run/jobs/read-job.ts';
import { command } from './parts/command.ts';
import { withLeasedLedger } from './parts/lease-ledger.ts';
import {
  argument,
  duration,
  flag,
  logFormat,
  path,
  text,
  usage,
  wholeNumber,
} from './parts/options.ts';
import { openOtherLedger, openToLook } from './parts/read-ledger.ts';
import { describeSnapshots } from './parts/snapshot-facts.ts';
import { listenForSignals } from './run/interruption.ts';
import { factsText } from './terminal/text.ts';

export const options = {
  ledger: text('The ledger (default: DOSSIER_LEDGER, or that of the user)'),
  job: text('Job file (.yaml) that names the ledger'),
  logFormat,
};

export function jobOf({ job, ledger }: { job: string | undefined; ledger: string | undefined }) {
  if (job !== undefined && !isJobPath(job)) {
    throw usage(`${job} is not a job file (.yaml); name a ledger with --ledger`);
  }
  return readPastJob(job, { ledger });
}

const bytesOf: Readonly<Record<Part, z.ZodInt>> = {
  answers: count('Answers and their bodies, compressed.'),
  calls: count('Calls.'),
  aliases: count('Identifiers by which stored companies can be found.'),
  rows: count('Lists, rows and outcomes.'),
  runs: count('Runs, references to their calls, and people searches.'),
  other: count('Anything else.'),
  free: count('Free space inside the file, which later runs reuse.'),
};

export const LedgerInfoJson = z.strictObject({
  ledger: string('The ledger that was read.'),
  fileBytes: count('Size of the file.'),
  logBytes: count("Size of SQLite's log beside the file. The log is part of the ledger."),
  bytes: z.strictObject(bytesOf),
  answers: count('Answers that are stored.'),
  calls: count('Calls that were made or planned.'),
  aliases: count('Identifiers of stored companies.'),
  rows: count('Rows that are stored.'),
  runs: count('Runs of jobs.'),
  lookups: count('Number of `dossier lookup` commands.'),
  oldestAnswerAt: timeOrNull('When the oldest answer arrived.'),
  newestAnswerAt: timeOrNull('When the newest answer arrived.'),
  jobs: z.array(
    z.strictObject({
      job: string('Name of the job.'),
      runs: count('Its runs.'),
      pruned: count('Pruned runs: their rows were removed.'),
      oldestRunAt: time("When the job's oldest run started."),
      newestRunAt: time("When the job's newest run started."),
    }),
  ),
  snapshot: SnapshotJson.nullable().describe('Snapshot of the named job, or null.'),
});

export const info = command({
  options,
  examples: {
    '$0 ledger info': 'show your ledger',
    '$0 ledger info jobs/demo.yaml --json': "print a job's ledger as JSON",
  },
  async facts(args): Promise<z.output<typeof LedgerInfoJson>> {
    const job = jobOf(args);
    const snapshot = await describeSnapshots(job);
    await using look = await openToLook(job);
    return { ...measureLedger(look.path), snapshot };
  },
  text: factsText,
});

export const LedgerBackupJson = z.strictObject({
  ledger: string('The ledger that was copied.'),
  backup: string('The copy.'),
  bytes: count('Size of the copy.'),
  answers: count('Answers in the copy.'),
  runs: count('Runs and lookups in the copy.'),
});

export const backup = command({
  options: {
    ...options,
    file: argument('Path of the copy; its folder is created', path('')),
    force: flag('Replace an older backup once the new one is complete'),
  },
  examples: {
    '$0 ledger backup backup/ledger.db': 'make the first backup',
    '$0 ledger backup backup/ledger.db nightly.yaml --force': 'replace it every night',
  },
  epilogue:
    'The copy is a normal ledger in one file. To restore the copy: stop all runs, replace the ledger with the copy, and remove the -wal and -shm files beside the ledger.',
  async facts(args, { progress }): Promise<z.output<typeof LedgerBackupJson>> {
    const { signal } = listenForSignals(undefined, 'no backup was made');
    await using look = await openToLook(jobOf(args));
    const { path, ...made } = await backupLedger(look.path, args.file, {
      isForced: args.force,
      signal,
      onProgress: (share) => progress.show(() => 'copied', share),
    });
    return { ...made, backup: path };
  },
  text: factsText,
});

export const LedgerMergeJson = z.strictObject({
  ledger: string('The ledger that received the answers.'),
  from: string('The other ledger.'),
  taken: count('New answers.'),
  known: count('Answers that both ledgers had.'),
  repaired: count('Damaged answers that were repaired.'),
  damaged: count('Damaged answers of the other ledger, not copied.'),
  forgotten: count('Answers about forgotten companies and people, not copied.'),
  hashes: count('Hashes of forgotten identifiers, added from the other ledger.'),
});

export const merge = command({
  options: {
    ...options,
    file: argument('The other ledger, a backup, or a stored copy (s3://…)'),
  },
  examples: {
    '$0 ledger merge laptop.db': 'copy answers that a colleague paid for',
    '$0 ledger merge laptop.db nightly.yaml': "copy them into a job's ledger",
    '$0 ledger merge ledger.db.replaced-20261116T021500000Z nightly.yaml':
      'copy answers from the ledger that a restored snapshot replaced',
    '$0 ledger merge backup/ledger.db':
      'also repair damaged answers of the ledger, from its backup',
  },
  epilogue:
    'Creates the ledger if there is none. Only answers are copied, not runs, rows or the audit. The newer of two answers wins. Nothing is removed, and the other ledger is not changed. Repeating a merge copies nothing twice. Forgotten companies and people are not copied. Answers are only used for the service URL that they came from.',
  async facts(args, terminal): Promise<z.output<typeof LedgerMergeJson>> {
    const read = jobOf(args);
    const isSame = resolve(args.file) === read.ledger;
    const named = { ...read, ledger: isSame ? userLedger() : read.ledger };
    // A merge may create the ledger.
    const job = { ...named, ledgerCare: { ...named.ledgerCare, mustExist: false } };
    return await withLeasedLedger(job, 'ledger merge', terminal, async () => {
      await using other = await openOtherLedger(args.file);
      const merged = mergeLedger(job.ledger, other.path);
      if (merged.hashes > 0) terminal.note(forgottenElsewhere);
      return { ...merged, ...(other.from && { from: other.from }) };
    });
  },
  text: factsText,
});

const forgottenElsewhere =
  'Some identifiers were forgotten in the other ledger. Results no longer show them here. To remove their data from this ledger too, run the same `dossier forget` here.';

export const LedgerPruneJson = z.strictObject({
  ledger: string('The ledger that was pruned.'),
  dryRun: yesOrNo('True for a dry run: nothing was changed.'),
  runs: count('Pruned runs.'),
  rows: count('Removed rows: no remaining run has them.'),
  outcomes: count('Removed outcomes.'),
  searches: count('Removed people searches.'),
  answers: count('Removed answers: no run shows them and no job uses them.'),
  calls: count('Removed calls without an answer.'),
  bytesBefore: count('Size of the file before.'),
  bytesAfter: count('Size of the file now; estimated for a dry run.'),
});

export const prune = command({
  options: {
    ...options,
    keepRuns: wholeNumber(
      "Runs to keep for each job (default: the job's ledger.keepRuns, or 30)",
      [1, 100_000],
    ),
    olderThan: duration(
      'Remove runs and answers older than this, such as 90d, even if a job may still use them',
    ),
    dryRun: flag('Show what would be removed, without changing anything'),
  },
  examples: {
    '$0 ledger prune --dry-run': 'show what would be removed',
    '$0 ledger prune --keep-runs 7': 'keep only the last seven runs of each job',
  },
  epilogue:
    'The last published run of a job and its answers always stay. Without --older-than, an answer stays while the `reuse` and `staleOnFailure` settings of a job allow its use. A removed run cannot be exported any more; `dossier status` still lists it.',
  async facts(args, terminal): Promise<z.output<typeof LedgerPruneJson>> {
    const job = jobOf(args);
    const { keepRuns, olderThan: olderThanMs, dryRun: isDryRun } = args;
    const { isDryRun: dryRun, ...pruned } = await withLeasedLedger(
      job,
      `ledger prune${isDryRun ? ' --dry-run' : ''}`,
      terminal,
      () => pruneLedger(job.ledger, { keepRuns, olderThanMs, isDryRun, now: Date.now() }),
    );
    return { ...pruned, dryRun };
  },
  text: factsText,
});

export const LedgerUpgradeJson = z.strictObject({
  ledger: string('The ledger.'),
  upgraded: yesOrNo('False if the ledger was up to date.'),
  copy: string('Copy of the ledger as it was before.').nullable(),
});

export const upgrade = command({
  options,
  examples: {
    '$0 ledger upgrade': 'upgrade the ledger of the working directory',
    '$0 ledger upgrade nightly.yaml': "upgrade a job's ledger",
  },
  epilogue: `Runs and other commands that write also upgrade; commands that only read never do. The copy is removed ${copyKeptDays} days later, by the next of these commands or by \`forget\`. To go back, stop all runs, install the older version and replace the ledger with the copy.`,
  async facts(args, terminal): Promise<z.output<typeof LedgerUpgradeJson>> {
    const job = jobOf(args);
    if (!job.ledgerCare.snapshot) refuseMissing(job.ledger);
    const copy = await upgradeLedger(job.ledger);
    const facts = { ledger: job.ledger, upgraded: copy !== undefined, copy: copy ?? null };
    return await withLeasedLedger(job, 'ledger upgrade', terminal, () => facts);
  },
  text: factsText,
});

export const LedgerCheckJson = z.strictObject({
  ledger: string('The ledger that was checked.'),
  ok: yesOrNo('Whether the ledger is intact.'),
  answers: count('Answers whose checksum was compared.'),
  findings: z
    .array(
      z.strictObject({
        what: z
          .enum(['file', 'list', 'row', 'answer'])
          .describe('`file`: the file itself. `list`, `row` and `answer`: damaged content.'),
        finding: string('What is wrong.'),
        count: countOrNull('Number of records or answers; null if unknown.'),
        remedy: string('What to do about the damage.'),
      }),
    )
    .readonly(),
});

export const check = command({
  options,
  examples: {
    '$0 ledger check': 'check the ledger of the working directory',
    '$0 ledger check --ledger backup/ledger.db': 'check a backup',
  },
  epilogue: 'Exit code 0: intact. 74: damaged; each finding says what to do.',
  async facts(args): Promise<z.output<typeof LedgerCheckJson>> {
    await using look = await openToLook(jobOf(args));
    const { path: ledger, answers, findings } = examineLedger(look.path);
    return { ledger, ok: findings.length === 0, answers, findings };
  },
  text: factsText,
  exitCode: ({ ok }) => (ok ? 0 : errorCatalog.LEDGER_DAMAGED.exitCode),
});

export const AuditJson = z.strictObject({
  ledger: string('The ledger.'),
  entries: z
    .array(
      z.strictObject({
        at: time('When the command ended.'),
        user: string('User who ran the command.'),
        host: string('The machine.'),
        command: string('The command, such as `run`, `export --accept` or `forget`.'),
        job: string('The job; `all-jobs` if none was named.'),
        counts: counts('Counts of what the command did.'),
        exitCode: count('Exit code of the command.'),
      }),
    )
    .describe('Oldest first.'),
});

export const audit = command({
  options: { ...options, since: duration('Only show commands newer than this, such as 30d') },
  examples: {
    '$0 audit': 'show who did what with the ledger of the working directory',
    '$0 audit nightly.yaml --since 90d --json':
      "print a job's last 90 days as JSON, for an auditor",
  },
  epilogue:
    'Records are never changed and contain no identifiers or cells. A killed command has no record; `dossier status` shows its run.',
  async facts(args): Promise<z.output<typeof AuditJson>> {
    await using look = await openToLook(jobOf(args));
    const since = args.since === undefined ? 0 : Date.now() - args.since;
    return { ledger: look.path, entries: readAudit(look.path, since) };
  },
  text: ({ entries }, page) =>
    page.table(
      entries.map(({ counts, user, host, ...entry }) => ({
        ...entry,
        user: `${user}@${host}`,
        counts: listed(counts),
      })),
    ),
});
