import { relative } from 'node:path';
import { z } from 'zod';
import { filePathsOf } from '../job/places/resolve-places.ts';
import { runName } from '../ledger/runs/runs.ts';
import { otherLedgerNote } from '../overview/jobs/kept-ledger.ts';
import { openRanJob } from '../overview/jobs/open-job.ts';
import { openReporter } from '../report/report-sink.ts';
import { exportJob, type JobExport } from '../run/export-job.ts';
import { destinationOf } from '../run/run-facts.ts';
import { packageVersion } from '../runtime/package-path.ts';
import { HeldBreach, RunFacts } from '../sinks/manifest.ts';
import { command } from './command.ts';
import { withKeptLedger } from './kept-ledger.ts';
import { flag, formFlags, jobFlags, ranJob, runNumber, text } from './options.ts';
import { placeFromHere, placeLines } from './places.ts';
import { listenForSignals } from './run/interruption.ts';
import { acceptCommand, exportCommand as exportLine, type GivenJob } from './run/start-texts.ts';
import { counted, formatNumber, nameJobFromAnywhere, sampleDataText } from './terminal/text.ts';

const count = (description: string) => z.int().nonnegative().describe(description);

/** What `export --json` prints. */
export const ExportJson = z
  .strictObject({
    ...RunFacts.pick({
      run: true,
      job: true,
      complete: true,
      held: true,
      rows: true,
      people: true,
      changes: true,
      folder: true,
      files: true,
      unchanged: true,
      destinations: true,
    }).shape,
    accepted: z
      .array(HeldBreach)
      .nullable()
      .describe('What it was held for, where --accept has just published it. Null otherwise.'),
    overtakenBy: z
      .string()
      .nullable()
      .describe('The later run because of which this held one cannot be accepted.'),
    replaced: z
      .string()
      .nullable()
      .describe('The newer run whose files these have replaced; --run writes them again.'),
    waiting: z
      .string()
      .nullable()
      .describe('A newer run that is held and was not written; --accept publishes it.'),
    damaged: count('Stored answers that are damaged and were left out.'),
  })
  .meta({ id: 'ExportJson' });

function exportJson({ run, waiting, exported, ...done }: JobExport) {
  const { rows: total, people, changes, ...byStatus } = exported.counts;
  return {
    run: runName(run),
    job: run.job,
    complete: run.state === 'finished',
    held: run.held && [...run.held],
    accepted: done.accepted && [...done.accepted],
    overtakenBy: done.overtakenBy ? runName(done.overtakenBy) : null,
    replaced: done.replaced ?? null,
    waiting: waiting ? runName(waiting) : null,
    rows: { total, ...byStatus },
    people,
    changes: { since: exported.changesSince, ...changes },
    damaged: exported.damagedAnswers,
    folder: exported.folder,
    unchanged: [...exported.unchanged],
    files: [...exported.files],
    destinations: exported.places.map(destinationOf),
  } satisfies z.input<typeof ExportJson>;
}

export const exportCommand = command({
  options: {
    ...formFlags,
    job: ranJob,
    run: runNumber(
      'A run that `dossier status` lists, such as r7 (default: the newest that is not held)',
    ),
    accept: flag('Publish the run that is held because an expectation was not met'),
    output: text('Folder or s3://bucket/prefix to write to'),
    ...jobFlags('ledger'),
  },
  examples: {
    '$0 export jobs/demo.yaml': 'the files of the newest run, once more',
    '$0 export jobs/demo.yaml --format parquet --output output/parquet': 'in another form',
    '$0 export jobs/demo.yaml --format xlsx --columns lead-list --output output/sales':
      'a workbook for sales',
    '$0 export jobs/demo.yaml --output output/so-far': 'while the job is running',
    '$0 export jobs/nightly.yaml --accept': 'the held result of last night is right',
  },
  epilogue:
    'Exit code 3: written, but stored answers are damaged and were left out. 74: a place could not be written.',
  async facts(args, terminal) {
    const { ledger, output, format, columns, order, outputDelimiter, bom, excelSafe } = args;
    const form = { format, columns, order, outputDelimiter, bom, excelSafe };
    const job = openRanJob(args.job, { ledger, output, ...form });
    const other = otherLedgerNote(job);
    if (other !== undefined) terminal.note(other);
    const reporter = openReporter(nameJobFromAnywhere);
    const { signal } = listenForSignals(() => {});
    const done = await withKeptLedger(
      job,
      'export',
      terminal,
      (kept) =>
        exportJob(job, {
          runId: args.run,
          accept: args.accept,
          ownOutputs: filePathsOf(openRanJob(args.job, { ledger })),
          version: packageVersion(),
          openReport: reporter.openReport,
          onReplace: (...replaced) => terminal.warn(replacingText(...replaced, args)),
          signal: kept?.signal ?? signal,
        }),
      signal,
    );
    for (const note of exportNotes(done, args)) terminal.warn(note);
    const trouble = reporter.trouble().trimEnd();
    if (trouble !== '') terminal.note(trouble);
    terminal.fail(done.exported.unreached);
    return { ...done, report: reporter.path() };
  },
  json: exportJson,
  /** The written files, one a line, with the report at the end. */
  text({ run, accepted, exported, report }, page) {
    const because = accepted?.map(({ message }) => message).join('; ');
    const files = placeLines(exported.places).map(({ name, about }) => [name, about]);
    if (report !== undefined) files.push([relative(process.cwd(), report), 'a page for people']);
    return [
      page.bold(`${run.job} ${runName(run)}: ${counted(exported.counts.rows, 'row')}`),
      ...(accepted ? [`Published; it was held because of ${because}`] : []),
      ...page.table(files, { isCut: false }),
    ];
  },
  exitCode: ({ exported }) => (exported.damagedAnswers > 0 ? 3 : 0),
});

/** Says, before it happens, that files of an older run take the place of newer ones. */
export function replacingText(
  replaced: string,
  folder: string,
  given: Pick<GivenJob, 'job' | 'output' | 'ledger'> & { readonly run: number | undefined },
): string {
  const older = given.run === undefined ? 'an older run' : runName({ id: given.run });
  return `${placeFromHere(folder)} holds ${replaced}; these are the files of ${older}. To have ${replaced} there again: ${exportLine(given, replaced)}`;
}

/** A folder that an export names is for a look; a result is published where its run would have put it. */
function publishCommand({ output, ...given }: GivenJob): string {
  const also = output === undefined ? '' : ', with the --output of its run if it had one';
  return `${acceptCommand(given)}${also}`;
}

/** Warnings that the files are not the whole result: a held run, open rows, no changes, damaged answers. */
export function exportNotes(done: JobExport, given: GivenJob): string[] {
  const { run, isAside, waiting, exported } = done;
  const { damagedAnswers } = exported;
  const notes = sampleDataText(run.service);
  const breaches = (waiting ?? run).held?.map(({ message }) => message).join('; ');
  const publishing = `To publish it: ${publishCommand(given)}`;
  if (waiting) {
    const name = runName(waiting);
    notes.push(
      `${name} is held and not written (${breaches}); these are the files of ${runName(run)}. ${publishing}`,
    );
  } else if (run.held && done.overtakenBy) {
    const later = runName(done.overtakenBy);
    notes.push(
      `${runName(run)} is held (${breaches}), so its files are aside. ${later} has overtaken it: it cannot be accepted any more.`,
    );
  } else if (run.held) {
    notes.push(`${runName(run)} is held (${breaches}), so its files are aside. ${publishing}`);
  } else if (isAside) {
    notes.push('A complete result stands in its folder and is left there, so the files are aside.');
  }
  if (run.state !== 'finished') {
    const rows = `${formatNumber(exported.counts.open)} of ${counted(exported.counts.rows, 'row')}`;
    notes.push(
      run.state === 'superseded'
        ? `${runName(run)} never finished and a newer run took its place: ${rows} stayed open.`
        : `${runName(run)} has not finished: ${rows} are still open. Run the job again to go on.`,
    );
  }
  if (done.isBasePruned) {
    notes.push(
      `The runs of ${run.job} before ${runName(run)} are pruned: its changes cannot be told, and their table is empty.`,
    );
  }
  if (damagedAnswers > 0) {
    const answers = counted(damagedAnswers, 'stored answer is', 'stored answers are');
    notes.push(
      `${answers} damaged and left out. Run the job again to fetch ${damagedAnswers === 1 ? 'it' : 'them'} anew.`,
    );
  }
  return notes;
}
