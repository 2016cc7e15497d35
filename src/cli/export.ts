import type { CommandModule } from 'yargs';
import { packageVersion } from '../runtime/package-path.ts';
import {
  type JobArguments,
  type OutputFormArguments,
  once,
  ranJobPositional,
  withOutputForm,
} from './options/job-options.ts';
import { runNumber } from './options/option-values.ts';

interface ExportArguments extends OutputFormArguments, Pick<JobArguments, 'output' | 'ledger'> {
  job: string;
  run: number | undefined;
  accept: boolean;
  json: boolean;
}

const damagedExitCode = 3;

export const exportCommand: CommandModule<object, ExportArguments> = {
  command: 'export <job>',
  describe: 'Write the outputs of a run again from the ledger; makes no call',
  builder: (args) =>
    withOutputForm(args)
      .positional('job', ranJobPositional)
      .option('run', {
        requiresArg: true,
        coerce: runNumber('run'),
        describe:
          'A run that `dossier status` lists, such as r7 (default: the newest that is not held)',
      })
      .option('accept', {
        type: 'boolean',
        default: false,
        describe: 'Publish the run that is held because an expectation was not met',
      })
      .option('output', once('output', 'Folder or s3://bucket/prefix to write to'))
      .option('ledger', once('ledger', 'SQLite file that remembers answers'))
      .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' })
      .example('$0 export jobs/demo.yaml', 'the files of the newest run, once more')
      .example(
        '$0 export jobs/demo.yaml --format parquet --output output/parquet',
        'in another form',
      )
      .example(
        '$0 export jobs/demo.yaml --format xlsx --columns lead-list --output output/sales',
        'a workbook for sales',
      )
      .example('$0 export jobs/demo.yaml --output output/so-far', 'while the job is running')
      .example('$0 export jobs/nightly.yaml --accept', 'the held result of last night is right')
      .epilogue(
        'Exit code 3: written, but stored answers are damaged and were left out. 74: a place could not be written.',
      ),
  handler: async (args) => {
    const { exitCodeOf } = await import('../errors.ts');
    const { filePathsOf } = await import('../job/places/resolve-places.ts');
    const { openRanJob } = await import('../overview/jobs/open-job.ts');
    const { otherLedgerNote } = await import('../overview/jobs/kept-ledger.ts');
    const { exportJob } = await import('../run/export-job.ts');
    const { openReporter } = await import('../report/report-sink.ts');
    const { failureText } = await import('./terminal/errors.ts');
    const { nameJobFromAnywhere } = await import('./terminal/text.ts');
    const { listenForSignals } = await import('./run/interruption.ts');
    const { refuseUnstored, withKeptLedger } = await import('./kept-ledger.ts');
    const { exportJson, exportNotes, exportText, replacingText } = await import(
      './export/export-summary.ts'
    );
    const { ledger, output, format, columns, order, outputDelimiter, bom, excelSafe } = args;
    const form = { format, columns, order, outputDelimiter, bom, excelSafe };
    const job = openRanJob(args.job, { ledger, output, ...form });
    const other = otherLedgerNote(job);
    if (other !== undefined) process.stderr.write(`${other}\n`);
    const reporter = openReporter(nameJobFromAnywhere);
    const { signal } = listenForSignals(() => {});
    const write = (stopping: AbortSignal) =>
      exportJob(job, {
        runId: args.run,
        accept: args.accept,
        ownOutputs: filePathsOf(openRanJob(args.job, { ledger })),
        version: packageVersion(),
        openReport: reporter.openReport,
        onReplace: (replaced, folder) =>
          process.stderr.write(replacingText(replaced, folder, args, process.stderr)),
        signal: stopping,
      });
    const kept = await withKeptLedger(
      job,
      'export',
      (held) => write(held?.signal ?? signal),
      signal,
    );
    const done = kept.result;
    process.stderr.write(exportNotes(done, args, process.stderr));
    process.stderr.write(reporter.trouble());
    process.stdout.write(
      args.json
        ? `${JSON.stringify(exportJson(done))}\n`
        : exportText(done, reporter.path(), process.stdout),
    );
    const { unreached, damagedAnswers } = done.exported;
    if (unreached) process.stderr.write(failureText(unreached, process.stderr));
    process.exitCode = unreached ? exitCodeOf(unreached) : damagedAnswers > 0 ? damagedExitCode : 0;
    refuseUnstored(kept);
  },
};
