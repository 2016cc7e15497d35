import { z } from 'zod';
import { Breach } from '../core/rules/expectations.ts';
import { count, stringOrNull } from '../core/values/fields.ts';
import { counted, formatNumber } from '../core/values/format.ts';
import { runName } from '../engine/ledger/runs/runs.ts';
import { fromHere } from '../platform/files/local-path.ts';
import { packageVersion } from '../platform/package-path.ts';
import { createDestinations } from '../run/export/destinations.ts';
import { exportJob, type JobExport } from '../run/export/export-job.ts';
import { otherLedgerNotes, readPastJob } from '../run/jobs/read-job.ts';
import { exportFacts } from '../run/run-facts.ts';
import { RunFacts } from '../run/run-schemas.ts';
import { createReporter } from '../ui/report/report-sink.ts';
import { command } from './parts/command.ts';
import { withLeasedLedger } from './parts/lease-ledger.ts';
import {
  flag,
  formFlags,
  jobFlags,
  logFormat,
  ranJobArgument,
  runNumber,
  text,
} from './parts/options.ts';
import { listenForSignals } from './run/interruption.ts';
import { destinationLines, exportLine, type GivenJob } from './run/run-texts.ts';
import { nameJobFromAnywhere, sampleDataText } from './terminal/text.ts';

export const ExportJson = z.strictObject({
  ...RunFacts.pick({
    run: true,
    job: true,
    complete: true,
    held: true,
    rows: true,
    people: true,
    changes: true,
    warnings: true,
    folder: true,
    files: true,
    unchanged: true,
    destinations: true,
  }).shape,
  accepted: z
    .array(Breach)
    .nullable()
    .describe('Why the run was held, if this --accept published it; otherwise null.'),
  overtakenBy: stringOrNull(
    'Later run that replaced this held run, so it can no longer be accepted.',
  ),
  replaced: stringOrNull(
    'Later run whose result was replaced. To write it again, name the run with --run.',
  ),
  waiting: stringOrNull('Newer run that is held and was not written. --accept publishes it.'),
  damaged: count('Damaged answers that were left out.'),
});

function exportJson({ run, waiting, exported, ...done }: JobExport) {
  return {
    run: runName(run),
    job: run.job,
    complete: run.state === 'finished',
    held: run.held && [...run.held],
    accepted: done.accepted && [...done.accepted],
    overtakenBy: done.overtakenBy ? runName(done.overtakenBy) : null,
    replaced: done.replaced?.run ?? null,
    waiting: waiting ? runName(waiting) : null,
    ...exportFacts(exported),
    damaged: exported.damagedAnswers.size,
  } satisfies z.input<typeof ExportJson>;
}

const exportCommand = command({
  options: {
    ...formFlags,
    job: ranJobArgument,
    run: runNumber(
      'Run to write, such as r7 from `dossier status` (default: the newest that is not held)',
    ),
    accept: flag('Publish the held run'),
    output: text('Folder or s3://bucket/prefix to write to'),
    ...jobFlags('suppress', 'ledger'),
    logFormat,
  },
  examples: {
    '$0 export jobs/demo.yaml': "write the newest run's files again",
    '$0 export jobs/demo.yaml --format parquet --output output/parquet': 'write another format',
    '$0 export jobs/demo.yaml --format xlsx --columns lead-list --output output/sales':
      'write a workbook for sales',
    '$0 export jobs/demo.yaml --output output/so-far':
      'write partial results while the job is running',
    '$0 export jobs/nightly.yaml --accept': "publish last night's held result",
  },
  epilogue:
    'Exit code 3: the files were written, but damaged answers were left out. 69: a destination is unavailable.',
  async facts(args, terminal) {
    const { ledger } = args;
    const job = readPastJob(args.job, args);
    terminal.note(...otherLedgerNotes(job));
    const reporter = createReporter(nameJobFromAnywhere);
    const { signal } = listenForSignals();
    const done = await withLeasedLedger(
      job,
      args.accept ? 'export --accept' : 'export',
      terminal,
      (leased) =>
        exportJob(job, {
          runId: args.run,
          accept: args.accept,
          own: createDestinations(readPastJob(args.job, { ledger })),
          version: packageVersion(),
          createReport: reporter.createReport,
          signal: leased?.signal ?? signal,
        }),
      { signal },
    );
    const { replaced } = done;
    if (replaced) terminal.warn(replacedText(replaced, args));
    terminal.warn(...exportNotes(done, args));
    const problem = reporter.problem().trimEnd();
    if (problem !== '') terminal.note(problem);
    terminal.fail(done.exported.unreached);
    return { ...done, report: reporter.path() };
  },
  json: exportJson,
  text({ run, accepted, exported, report }, page) {
    return [
      page.bold(`${run.job} ${runName(run)}: ${counted(exported.rows.total, 'row')}`),
      ...(accepted ?? []).flatMap(({ message }) => page.wrap(`Accepted: ${message}`)),
      ...destinationLines(
        exported.destinations,
        page,
        '',
        report === undefined ? [] : [[fromHere(report), 'report for the browser']],
      ),
    ];
  },
  exitCode: ({ exitCode }) => exitCode,
});

export function replacedText(
  { folder, run, isOurs }: NonNullable<JobExport['replaced']>,
  given: GivenJob & { readonly run: number | undefined },
): string {
  const older = given.run === undefined ? 'an older run' : runName({ id: given.run });
  const what = isOurs ? 'a later run' : 'which this ledger does not have';
  const undo = isOurs ? ` To undo: ${exportLine(given, '--run', run)}` : '';
  return `${fromHere(folder)} had ${run}, ${what}, and now has ${older}.${undo}`;
}

export function exportNotes(done: JobExport, { output: _, ...given }: GivenJob): string[] {
  const { run, waiting, overtakenBy, openCalls } = done;
  const { rows, damagedAnswers } = done.exported;
  const name = runName(run);
  const because = (waiting ?? run).held?.map(({ message }) => message).join('; ');
  // Without `--output`, because a held result is published to the job's own destinations.
  const publishing = `To publish the held result: ${exportLine(given, '--accept')}`;
  // Of a run with people, all rows may be done while searches are open.
  const open = [
    rows.open > 0 && `${formatNumber(rows.open)} of ${counted(rows.total, 'row')}`,
    run.hasPeople && openCalls > 0 && `at least ${counted(openCalls, 'call')}`,
  ].filter(Boolean);
  const openWork = open.join(' and ') || 'no call';
  const notes = [
    ...sampleDataText(run),
    waiting
      ? `${runName(waiting)} is held (${because}); these are the files of ${name}. ${publishing}`
      : run.held
        ? `${name} is held (${because}), so its files are in a separate folder. ${overtakenBy ? `${runName(overtakenBy)} replaced it.` : publishing}`
        : done.isAside &&
          'The output folder has a complete result, so these incomplete files are in a separate folder.',
    run.state === 'superseded' && `${name} never finished: ${openWork} stayed open.`,
    run.state === 'open' && `${name} has not finished, with ${openWork} open. Run the job again.`,
    done.isBasePruned && `Earlier runs were pruned, so the changes in ${name} are unknown.`,
    damagedAnswers.size > 0 &&
      `${counted(damagedAnswers.size, 'damaged answer')} left out. Run the job again to fetch missing answers.`,
  ];
  return notes.filter((note) => typeof note === 'string');
}

export { exportCommand as export };
