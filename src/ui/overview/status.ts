import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { refuseMissing } from '../../engine/ledger/file/ledger-file.ts';
import { isJobLocked, isLookupSlot } from '../../engine/ledger/file/locks.ts';
import { type Ledger, openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import { type Run, runName } from '../../engine/ledger/runs/runs.ts';
import type { Start } from '../../engine/ledger/runs/starts.ts';
import { jobFingerprint } from '../../job/job-fingerprint.ts';
import { refreshedReuse } from '../../job/job-flags.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { RunFacts } from '../../results/manifest.ts';
import { heldFolderOf } from '../../run/result-places.ts';
import { jobNames, possiblyChargedOf, readJobFacts } from '../../run/run-facts.ts';
import { noRunOf, openRanJob } from './jobs.ts';

const count = (about: string) => z.int().nonnegative().describe(about);
const time = (about: string) => z.iso.datetime().describe(about);

/** The snapshots of a ledger, as `status` and `ledger info` print them with --json. */
export const SnapshotJson = z
  .strictObject({
    address: z.string().describe('`ledger.snapshot` of the job.'),
    storedAt: z.iso.datetime().nullable().describe('When it was stored; null before the first.'),
    ageSeconds: z.int().nullable().describe('How long ago that was.'),
    answers: z.int().nullable().describe('Answers in it.'),
    object: z.string().nullable().describe('The object that it is, compressed with zstd.'),
    bytes: z.int().nullable().describe('Size of the object.'),
    holder: z
      .strictObject({
        job: z.string().describe('What the lease was taken for: a job, or a command.'),
        host: z.string().describe('Name of the machine.'),
        pid: z.int().describe('Its process id on that machine.'),
        since: time('When it was taken, by the clock of that machine.'),
      })
      .nullable()
      .describe('Who uses the ledger; null if it is not in use.'),
    here: z
      .enum(['current', 'other', 'missing'])
      .nullable()
      .describe(
        'The ledger of this machine: that of the snapshot, another one, or none; null where the store could not be asked.',
      ),
    callsAtRisk: count('Answers of the ledger of this machine that are in no snapshot.'),
    trouble: z.string().nullable().describe('Why the store could not be asked.'),
  })
  .meta({ id: 'SnapshotJson' });
export type SnapshotJson = z.output<typeof SnapshotJson>;

const JobRun = RunFacts.extend({
  goOn: z
    .string()
    .nullable()
    .describe('How to go on with an unfinished run, in a sentence; null for any other.'),
}).meta({ id: 'JobRun' });

/** One start of a job: one process that held it. */
const StartStatus = z
  .strictObject({
    startedAt: time('When it took the job.'),
    state: z
      .enum(['running', 'ended', 'killed'])
      .describe(
        '`killed`: its process is gone and left no end, as after `kill -9` or a power cut.',
      ),
    endedAt: z.iso
      .datetime()
      .nullable()
      .describe('When it ended; null if it has not, or was killed.'),
    seconds: z.number().nullable().describe('From its start to its end; null where it has none.'),
    startedBy: z
      .enum(['page', 'terminal', 'script'])
      .describe('The workbench, a user at a terminal, or a program such as a scheduler.'),
    exitCode: z.int().nullable().describe('The exit code of the command; null without an end.'),
    reason: z
      .string()
      .nullable()
      .describe('Code of the error that ended it, or `BUG`; null where it finished or has no end.'),
    run: z.string().nullable().describe('The run it worked on; null where it ended before that.'),
    host: z.string().describe('Name of the machine.'),
    pid: z.int().describe('Its process id on that machine.'),
    version: z.string().describe('Version of Dossier.'),
  })
  .meta({ id: 'StartStatus' });

/** What `status --json` prints. */
export const StatusJson = z
  .strictObject({
    ledger: z.string().describe('The ledger that was read; it may not exist yet.'),
    jobs: z
      .array(
        z.strictObject({
          job: z.string().describe('Name of the job.'),
          running: z.boolean().describe('Whether a process is at work on it now.'),
          runCount: count('Runs that the ledger knows.'),
          runs: z
            .array(JobRun)
            .describe(
              'As many as --runs says, or one where no job was named: the run that works now or else the last whole run, then the newest. A run with a `limit` is a try.',
            ),
          starts: z
            .array(StartStatus)
            .describe(
              'Newest first: five, or one where no job was named. A start that found the job held by another is not among them. The ledger keeps 200 of a job.',
            ),
        }),
      )
      .describe('The job that was named, or every job of the ledger.'),
    lookups: z
      .strictObject({
        count: count('Times that `dossier lookup` was used.'),
        lastAt: time('When it was last used.'),
        calls: z.strictObject({
          made: count('Answered by the service.'),
          reused: count('Answered by the ledger.'),
          joined: count('Answered by what came under another identifier.'),
        }),
        possiblyCharged: RunFacts.shape.possiblyCharged,
      })
      .nullable()
      .describe('All lookups together; null where there was none or a job was named.'),
    snapshot: SnapshotJson.nullable().describe(
      'The snapshots of its ledger, where a job was named that has any; else null.',
    ),
  })
  .meta({ id: 'StatusJson' });
export type StatusJson = z.output<typeof StatusJson>;
export type JobStatus = StatusJson['jobs'][number];

interface StatusRequest {
  readonly job: string | undefined;
  /** The same as a shell takes it. */
  readonly word?: string | undefined;
  readonly runs: number;
  readonly ledger: string | undefined;
}

/**
 * Reads the state of runs, without the snapshots of the ledger. That nothing has run yet is a result with a note, not an
 * error. `copy` is read in the place of a ledger that is not on this machine.
 */
export function readStatus(
  request: StatusRequest,
  of = openRanJob(request.job, { ledger: request.ledger }),
  copy = of.ledger,
) {
  const { job: given } = request;
  const { mustExist, snapshot } = of.ledgerCare;
  // A ledger that has a snapshot may be on no disk between two runs.
  if (mustExist && !snapshot) refuseMissing(of.ledger);
  using ledger = openLedgerToRead(copy);
  // One transaction, so that the counts of rows and calls belong together.
  const found = ledger?.together(() => {
    const names = jobNames(ledger).filter((name) => name !== of.name || given === undefined);
    if (given !== undefined) {
      return { names, jobs: [readJob(ledger, of, of.name, request)], lookups: null };
    }
    const newest = { runs: 1, job: given };
    const jobs = names.map((name) => readJob(ledger, of, name, newest));
    return { names, jobs, lookups: readLookups(ledger, of.ledger) };
  });
  const { names = [], lookups = null } = found ?? {};
  const jobs = (found?.jobs ?? []).filter(
    ({ runCount, starts }) => runCount > 0 || (given !== undefined && starts.length > 0),
  );
  const shown = relative(process.cwd(), of.ledger);
  // A file that has not run yet is no mistake.
  if (jobs.length === 0 && given !== undefined && !existsSync(given)) {
    throw noRunOf(of.name, names, shown);
  }
  const missing = snapshot
    ? `There is no ${shown} on this machine.`
    : `Nothing has run yet: there is no ${shown}.`;
  const empty =
    given === undefined
      ? `${shown} holds no run of a job yet.`
      : `${given} has not run yet: ${shown} holds no run of it.`;
  const note = ledger ? empty : missing;
  return {
    status: { ledger: of.ledger, jobs, lookups },
    notes: jobs.length === 0 ? [note] : [],
  };
}

const startsShown = 5;

/** The newest runs and starts of a job, which was named where `word` says how. */
function readJob(
  ledger: Ledger,
  of: ResolvedJob,
  job: string,
  wanted: Pick<StatusRequest, 'runs' | 'job' | 'word'>,
): JobStatus {
  const { runs, facts, starts, isRunning } = readJobFacts(ledger, of.ledger, job, wanted.runs);
  const { word = wanted.job } = wanted;
  return {
    job,
    running: isRunning,
    runCount: runs.length,
    runs: facts.map((one, index) => {
      const run = runs[index];
      const isOpen = ['stopped', 'killed', 'incomplete'].includes(one.state);
      return {
        ...one,
        folder: word && run ? asideOf(of, run) : null,
        goOn: isOpen && run ? howToGoOn(run, of, word) : null,
      };
    }),
    starts: starts
      .slice(0, wanted.job === undefined ? 1 : startsShown)
      .map((start, index) => readStart(start, isRunning && index === 0)),
  };
}

/** The folder in which the files of a run are put aside; null where there are none. */
function asideOf({ output }: ResolvedJob, run: Run): string | null {
  const folder = heldFolderOf(output.path, run);
  return existsSync(join(folder, 'manifest.json')) ? folder : null;
}

/** An age that was given with `older-than` is not known. */
const refreshes = ['misses', 'failed', 'all'] as const;

/**
 * Says how an interrupted run is taken up. It goes on only where the same is asked, and `--refresh`, a try and
 * fixing ask for something else than the plain job. The ledger holds a hash of what was asked.
 */
function howToGoOn(run: Run, of: ResolvedJob, word: string | undefined): string {
  if (word === undefined) return 'Run the job again to go on, with the flags that it had.';
  const { rowLimit: limit } = run;
  const job = {
    ...of,
    service: { ...of.service, url: run.service },
    input: { ...of.input, maxRows: limit ?? undefined },
  };
  const isOf = (asked: ResolvedJob) => jobFingerprint(asked) === run.jobFingerprint;
  const tries = limit === null ? '' : ` --limit ${limit}`;
  if (isOf(job)) {
    return limit === null
      ? 'Run the job again to go on.'
      : `\`dossier run ${word}${tries}\` goes on with it. Without --limit a new run begins.`;
  }
  const what = refreshes.find((refresh) =>
    isOf({
      ...job,
      refresh: { what: refresh },
      reuse: refreshedReuse(job.reuse, { what: refresh }),
    }),
  );
  if (what) {
    return `\`dossier run ${word} --refresh ${what}${tries}\` goes on with it. Without --refresh a new run begins.`;
  }
  if (isOf({ ...job, keepsOutcomes: true })) {
    return `\`dossier fix ${word}\` goes on with it; \`dossier run\` begins a new run.`;
  }
  return 'Only the command that began it, with all its flags, goes on with it: the job as it is begins a new run.';
}

/** A start without an end is running, or else its process was killed: it holds the job no longer. */
function readStart(start: Start, mayRun: boolean): JobStatus['starts'][number] {
  const { runId, startedAt, endedAt, exitCode, reason, host, pid, version, startedBy } = start;
  return {
    startedAt: iso(startedAt),
    state: endedAt === null ? (mayRun ? 'running' : 'killed') : 'ended',
    endedAt: endedAt === null ? null : iso(endedAt),
    seconds: endedAt === null ? null : Math.max(0, endedAt - startedAt) / 1_000,
    startedBy,
    exitCode,
    reason,
    run: runId === null ? null : runName({ id: runId }),
    host,
    pid,
    version,
  };
}

/** The sum of all lookups. Each lookup is a run, and a ledger may hold thousands of them. */
function readLookups(ledger: Ledger, path: string): StatusJson['lookups'] {
  const runs = ledger.runs.list().filter(({ job }) => isLookupSlot(job));
  const [newest] = runs;
  if (!newest) return null;
  const calls = { made: 0, reused: 0, joined: 0 };
  const possiblyCharged: string[] = [];
  for (const run of runs) {
    const { made, reused, joined } = ledger.progress.of(run.id).calls;
    calls.made += made;
    calls.reused += reused;
    calls.joined += joined;
    const isAlive = run.state === 'open' && isJobLocked(path, run.job);
    possiblyCharged.push(...possiblyChargedOf(ledger, run, isAlive));
  }
  return { count: runs.length, lastAt: iso(newest.startedAt), calls, possiblyCharged };
}

function iso(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
