import { z } from 'zod';
import { errorCatalog } from '../core/errors.ts';
import {
  count,
  countOrNull,
  string,
  time,
  timeOrNull,
  yesOrNo,
} from '../core/runtime/json/fields.ts';
import { readAudit } from '../engine/ledger/care/audit.ts';
import { backupLedger } from '../engine/ledger/care/backup-ledger.ts';
import { examineLedger, measureLedger, type Part } from '../engine/ledger/care/examine-ledger.ts';
import { mergeLedger } from '../engine/ledger/care/merge-ledger.ts';
import { pruneLedger } from '../engine/ledger/care/prune-ledger.ts';
import { isLookupSlot } from '../engine/ledger/file/locks.ts';
import { isJobPath } from '../job/from-list/job-for-file.ts';
import { openRanJob } from '../ui/overview/jobs.ts';
import { SnapshotJson } from '../ui/overview/status.ts';
import { command } from './command.ts';
import { argument, duration, flag, logFormat, path, text, usage, wholeNumber } from './options.ts';
import { listenForSignals } from './run/interruption.ts';
import { describeSnapshots, openOtherLedger, openToLook, withKeptLedger } from './snapshot.ts';
import { factsText, listed } from './terminal/text.ts';

export const options = {
  ledger: text('The ledger (default: DOSSIER_LEDGER, or output/ledger.db)'),
  job: text('Job file (.yaml) whose ledger is meant'),
  logFormat,
};

export function jobOf({ job, ledger }: { job: string | undefined; ledger: string | undefined }) {
  if (job !== undefined && !isJobPath(job)) {
    throw usage(`${job} is not a job file (.yaml); name a ledger with --ledger`);
  }
  return openRanJob(job, { ledger });
}

const bytesOf: Readonly<Record<Part, z.ZodInt>> = {
  answers: count('Answers and their bodies, compressed.'),
  calls: count('What was asked.'),
  aliases: count('Identifiers by which answered companies are found.'),
  rows: count('Lists, rows and what became of them.'),
  runs: count('Runs, their calls and people searches.'),
  other: count('Anything else.'),
  free: count('Free room inside the file, which later runs fill.'),
};

/** `ledger info --json` */
export const LedgerInfoJson = z.strictObject({
  ledger: string('The ledger that was read.'),
  fileBytes: count('Size of the file.'),
  logBytes: count("Size of SQLite's log beside it, which is part of the ledger."),
  bytes: z.strictObject(bytesOf),
  answers: count('Answers that are stored.'),
  calls: count('Questions that were asked or planned to be.'),
  aliases: count('Identifiers of answered companies.'),
  rows: count('Rows that are stored.'),
  runs: count('Runs of jobs.'),
  lookups: count('Times that `dossier lookup` was used.'),
  oldestAnswerAt: timeOrNull('When the oldest answer came.'),
  newestAnswerAt: timeOrNull('When the newest answer came.'),
  jobs: z.array(
    z.strictObject({
      job: string('Name of the job.'),
      runs: count('Its runs.'),
      pruned: count('Those of them whose rows were removed.'),
      oldestRunAt: time('When its oldest run started.'),
      newestRunAt: time('When its newest run started.'),
    }),
  ),
  snapshot: SnapshotJson.nullable().describe(
    'Its snapshots, where the job that was named has any; else null.',
  ),
});

export const info = command({
  options,
  examples: {
    '$0 ledger info': 'the ledger of the working directory',
    '$0 ledger info jobs/demo.yaml --json': 'that of a job, for scripts',
  },
  async facts(args): Promise<z.output<typeof LedgerInfoJson>> {
    const job = jobOf(args);
    const snapshot = await describeSnapshots(job);
    await using look = await openToLook(job);
    const { jobs: all, runs: started, bytes, ...size } = measureLedger(look.path);
    const jobs = all.filter((one) => !isLookupSlot(one.job));
    const runs = jobs.reduce((sum, one) => sum + one.runs, 0);
    return { ...size, runs, lookups: started - runs, bytes, jobs, snapshot };
  },
  text: factsText,
});

/** `ledger backup --json` */
export const LedgerBackupJson = z.strictObject({
  ledger: string('The ledger that was copied.'),
  backup: string('The copy.'),
  bytes: count('Size of the copy.'),
  answers: count('Answers in it.'),
  runs: count('Runs and lookups in it.'),
});

export const backup = command({
  options: {
    ...options,
    file: argument('File of the copy; its folder is created', path('')),
    force: flag('Replace an older backup, once the new one is whole'),
  },
  examples: {
    '$0 ledger backup backup/ledger.db': 'the first',
    '$0 ledger backup backup/ledger.db nightly.yaml --force': 'every night',
  },
  epilogue:
    'The copy is one file, a ledger like any other: to restore it, stop all runs, put it in the place of the ledger and remove the files beside that end in -wal and -shm.',
  async facts(args, { progress }): Promise<z.output<typeof LedgerBackupJson>> {
    const { signal } = listenForSignals(undefined, 'no backup was made');
    await using look = await openToLook(jobOf(args));
    const { path, ...made } = await backupLedger(look.path, args.file, {
      isForced: args.force,
      signal,
      onProgress: (share) => progress.show('copied', share),
    });
    return { ...made, backup: path };
  },
  text: factsText,
});

/** `ledger merge --json` */
export const LedgerMergeJson = z.strictObject({
  ledger: string('The ledger that has the answers now.'),
  from: string('The other ledger.'),
  taken: count('Answers that are new here.'),
  known: count('Answers that both ledgers had.'),
  repaired: count('Answers that were damaged here and are whole again.'),
  damaged: count('Damaged answers of the other ledger, which were left there.'),
  forgotten: count('Answers about what was forgotten, which were left there.'),
});

export const merge = command({
  options: {
    ...options,
    file: argument('The other ledger, a backup, or a stored copy (s3://…)'),
  },
  examples: {
    '$0 ledger merge laptop.db': 'what a colleague has paid for',
    '$0 ledger merge laptop.db nightly.yaml': 'into the ledger of a job',
    '$0 ledger merge ledger.db.replaced-20261116T021500000Z nightly.yaml':
      'what was on a disk before a restore',
    '$0 ledger merge backup/ledger.db': 'also restores answers that are damaged here',
  },
  epilogue:
    'The ledger is made where there is none. Of two answers to one question the younger counts. Nothing is removed, and a merge that is repeated takes nothing twice. Runs, their rows and the audit stay where they are. What was forgotten in either ledger is not taken. Answers belong to the address of their service.',
  async facts(args, terminal): Promise<z.output<typeof LedgerMergeJson>> {
    const named = jobOf(args);
    // A merge may create the ledger.
    const job = { ...named, ledgerCare: { ...named.ledgerCare, mustExist: false } };
    return await withKeptLedger(job, 'ledger merge', terminal, async () => {
      await using other = await openOtherLedger(args.file);
      return { ...mergeLedger(job.ledger, other.path), ...(other.from && { from: other.from }) };
    });
  },
  text: factsText,
});

/** `ledger prune --json` */
export const LedgerPruneJson = z.strictObject({
  ledger: string('The ledger that was pruned.'),
  dryRun: yesOrNo('Whether nothing was changed: what follows is what would go.'),
  runs: count('Runs whose rows went.'),
  rows: count('Rows that no kept run has in its list.'),
  outcomes: count('Outcomes that no kept run shows.'),
  searches: count('People searches that no kept run shows.'),
  answers: count('Answers that no kept run shows and no job uses.'),
  calls: count('Unanswered calls that no job needs any more.'),
  bytesBefore: count('Size of the file before.'),
  bytesAfter: count('Size of the file now; of a dry run, about what it would be.'),
});

export const prune = command({
  options: {
    ...options,
    keepRuns: wholeNumber(
      'Runs of each job that stay (default: ledger.keepRuns of the job, or 30)',
      [1, 100_000],
    ),
    olderThan: duration(
      'Remove runs and answers older than this, such as 90d, even if a job may still use them',
    ),
    dryRun: flag('Say what would go; nothing is changed'),
  },
  examples: {
    '$0 ledger prune --dry-run': 'what would go',
    '$0 ledger prune --keep-runs 7': 'only the last seven runs of each job stay',
  },
  epilogue:
    'The last published run of a job and its answers always stay. Without --older-than an answer stays as long as a job may use it, by its `reuse` and `staleOnFailure`. A removed run cannot be exported any more; `dossier status` still lists it.',
  async facts(args, terminal): Promise<z.output<typeof LedgerPruneJson>> {
    const job = jobOf(args);
    const { keepRuns, olderThan: olderThanMs, dryRun: isDryRun } = args;
    const { isDryRun: dryRun, ...pruned } = await withKeptLedger(
      job,
      `ledger prune${isDryRun ? ' --dry-run' : ''}`,
      terminal,
      () => pruneLedger(job.ledger, { keepRuns, olderThanMs, isDryRun, now: Date.now() }),
    );
    return { ...pruned, dryRun };
  },
  text: factsText,
});

/** `ledger check --json` */
export const LedgerCheckJson = z.strictObject({
  ledger: string('The ledger that was looked through.'),
  ok: yesOrNo('Whether nothing is wrong with it.'),
  answers: count('Answers whose checksum was compared.'),
  findings: z
    .array(
      z.strictObject({
        what: z
          .enum(['file', 'relation', 'list', 'row', 'answer'])
          .describe(
            'The file itself, lines that name a missing one, damaged lists, or damaged answers.',
          ),
        finding: string('What is wrong.'),
        count: countOrNull('Number of lines or answers; null if unknown.'),
        remedy: string('What to do about it.'),
      }),
    )
    .readonly(),
});

export const check = command({
  options,
  examples: {
    '$0 ledger check': 'the ledger of the working directory',
    '$0 ledger check --ledger backup/ledger.db': 'a backup',
  },
  epilogue: 'Exit code 0: whole. 74: damaged; each finding has its remedy.',
  async facts(args): Promise<z.output<typeof LedgerCheckJson>> {
    await using look = await openToLook(jobOf(args));
    const { path: ledger, answers, findings } = examineLedger(look.path);
    return { ledger, ok: findings.length === 0, answers, findings };
  },
  text: factsText,
  exitCode: ({ ok }) => (ok ? 0 : errorCatalog.LEDGER_DAMAGED.exitCode),
});

/** `audit --json` */
export const AuditJson = z.strictObject({
  ledger: string('The ledger whose audit it is.'),
  entries: z
    .array(
      z.strictObject({
        at: time('When the command ended.'),
        user: string('Who ran it.'),
        host: string('The machine.'),
        command: string('The command, such as `run`, `export --accept` or `forget`.'),
        job: string('The job; `all-jobs` where none was named.'),
        counts: z.record(z.string(), z.int()).describe('What it did, in numbers.'),
        exitCode: count('How it ended.'),
      }),
    )
    .describe('Oldest first.'),
});

export const audit = command({
  options: { ...options, since: duration('Only what ended within this time, such as 30d') },
  examples: {
    '$0 audit': 'who did what with the ledger of the working directory',
    '$0 audit nightly.yaml --since 90d --json': 'three months of a job, for an auditor',
  },
  epilogue:
    'Lines are only ever added. They hold no identifiers and no cells. A command that was killed has none; `dossier status` shows its run.',
  async facts(args): Promise<z.output<typeof AuditJson>> {
    await using look = await openToLook(jobOf(args));
    const entries = readAudit(look.path, args.since === undefined ? 0 : Date.now() - args.since);
    const iso = (at: number) => new Date(at).toISOString();
    return { ledger: look.path, entries: entries.map((one) => ({ ...one, at: iso(one.at) })) };
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
