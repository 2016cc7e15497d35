import { relative } from 'node:path';
import type { CommandModule } from 'yargs';
import type { ClientEvent } from '../client/client-event.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import { packageVersion } from '../runtime/package-path.ts';
import { type JobArguments, jobPositional, withJobOptions } from './options/job-options.ts';
import { logFormat, singleChoice } from './options/option-values.ts';
import { showPlan } from './plan.ts';
import { interruption } from './run/interruption.ts';
import { joinObservers } from './run/join-observers.ts';
import { type MetricsArguments, metricsOptions } from './run/metrics-options.ts';
import { openProgress } from './terminal/progress.ts';

interface RunArguments extends JobArguments, MetricsArguments {
  job: string;
  json: boolean;
  'dry-run': boolean;
  open: boolean;
  'log-format': 'text' | 'json';
  'log-level': string;
}

const failedRowsExitCode = 3;
const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/** Opens the live view, whose server is loaded only for --open. */
async function openView(job: ResolvedJob, progress: Disposable) {
  const { openRunView } = await import('./run/run-view.ts');
  return await openRunView(job, (url) => {
    // The progress line is cleared first; the next progress draws it again below.
    progress[Symbol.dispose]();
    process.stderr.write(`Live: ${url}\n`);
  });
}

export const runCommand: CommandModule<object, RunArguments> = {
  command: 'run <job>',
  describe: 'Run a job file or a bare list; run it again to resume',
  builder: (args) =>
    withJobOptions(args)
      .positional('job', jobPositional)
      .option('json', { type: 'boolean', default: false, describe: 'End with one JSON summary' })
      .option('dry-run', {
        type: 'boolean',
        default: false,
        describe: 'Make no call; say what a run would do, as dossier plan does',
      })
      .option('open', {
        type: 'boolean',
        default: false,
        describe: 'Show the run in the browser while it goes on, and its report at the end',
      })
      .option('log-format', logFormat)
      .option('log-level', {
        choices: logLevels,
        default: 'warn',
        requiresArg: true,
        coerce: singleChoice('log-level', logLevels),
        describe: 'Least important log lines to show',
      })
      .options(metricsOptions)
      .example('$0 run jobs/demo.yaml', 'the demonstration, offline')
      .example('$0 run fixtures/leads/leads.csv --url embedded', 'a bare list over the sample data')
      .example('$0 run jobs/nightly.yaml --max-calls 500', 'at most 500 calls this time'),
  handler: async (args) => {
    const { openJobToRead } = await import('./options/open-job.ts');
    const job = openJobToRead(args.job, args);
    if (args.dryRun) return await showPlan(job, args);
    const { openLog } = await import('../runtime/log/log.ts');
    const { runJob } = await import('../run/run-job.ts');
    const { openCallMeter } = await import('../run/calls/call-meter.ts');
    const { showRun } = await import('./run/run-progress.ts');
    const { openMetrics } = await import('../metrics/open-metrics.ts');
    const { prepareConnection } = await import('./run/connect.ts');
    const { systemClock } = await import('../runtime/clock.ts');
    const { openReporter } = await import('../report/report-sink.ts');
    const { runJson } = await import('./run/run-json.ts');
    const { summaryText } = await import('./run/run-summary.ts');

    using progress = openProgress();
    const log = openLog({ format: args.logFormat, level: args.logLevel });
    const version = packageVersion();
    const metrics = await openMetrics(
      { file: args.metricsFile, otlp: args.otlp, env: process.env },
      { job: job.name, version, clock: systemClock, log },
    );
    const observer = joinObservers(showRun(progress, log), metrics.meter);
    const meter = openCallMeter(systemClock);
    const onEvent = (event: ClientEvent) => {
      observer.onEvent(event);
      meter.note(event);
    };
    await using view = args.open ? await openView(job, progress) : undefined;
    const reporter = openReporter(view?.onReport);
    const summary = await metrics.watch(async () => {
      return await runJob(job, {
        openClient: prepareConnection(job, { log, onEvent }),
        meter,
        openReport: reporter.openReport,
        clock: systemClock,
        version,
        signal: interruption(),
        observer,
      });
    });
    progress[Symbol.dispose]();

    process.stderr.write(summaryText(summary, process.stderr));
    const report = reporter.path();
    process.stderr.write(
      report ? `Report: ${relative(process.cwd(), report)}\n` : reporter.trouble(),
    );
    if (args.json) process.stdout.write(`${JSON.stringify(runJson(summary))}\n`);
    const { counts, damagedAnswers } = summary.exported;
    const hasFailures =
      counts.failed > 0 || summary.counts.failedSearches > 0 || damagedAnswers > 0;
    const exitCode = hasFailures ? failedRowsExitCode : 0;
    await metrics.end(exitCode);
    process.exitCode = exitCode;
    await view?.showReport(report);
  },
};
