import type { CommandModule } from 'yargs';
import type { ClientEvent } from '../client/client-event.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import { packageVersion } from '../runtime/package-path.ts';
import { interruption } from './interruption.ts';
import { type JobArguments, jobPositional, withJobOptions } from './job-options.ts';
import { logFormat, singleChoice } from './options.ts';
import { showPlan } from './plan.ts';
import { openProgress } from './progress.ts';

interface RunArguments extends JobArguments {
  job: string;
  json: boolean;
  'dry-run': boolean;
  open: boolean;
  'log-format': 'text' | 'json';
  'log-level': string;
}

const failedRowsExitCode = 3;
const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/** Loaded only when somebody wants to look. */
async function openView(job: ResolvedJob) {
  const { openRunView } = await import('./run-view.ts');
  return await openRunView(job);
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
      .example('$0 run jobs/demo.yaml', 'the demonstration, offline')
      .example('$0 run fixtures/leads/leads.csv --url embedded', 'a bare list over the sample data')
      .example('$0 run jobs/nightly.yaml --max-calls 500', 'at most 500 calls this time'),
  handler: async (args) => {
    const startedAt = performance.now();
    const { openJob } = await import('./open-job.ts');
    const job = openJob(args.job, args);
    if (args.dryRun) return await showPlan(job, args);
    const { openLog } = await import('../runtime/log.ts');
    const { runJob } = await import('../run/run-job.ts');
    const { openCallMeter } = await import('../run/call-meter.ts');
    const { showRun } = await import('./run-progress.ts');
    const { prepareConnection } = await import('./connect.ts');
    const { systemClock } = await import('../runtime/clock.ts');
    const { openReporter } = await import('./reporter.ts');
    const { runJson } = await import('./run-json.ts');
    const { summaryText } = await import('./run-summary.ts');

    using progress = openProgress();
    const log = openLog({ format: args.logFormat, level: args.logLevel });
    const observer = showRun(progress, log);
    const meter = openCallMeter(systemClock);
    const onEvent = (event: ClientEvent) => {
      observer.onEvent(event);
      meter.note(event);
    };
    await using view = args.open ? await openView(job) : undefined;
    const reporter = openReporter(view?.onReport);
    const summary = await runJob(job, {
      openClient: prepareConnection(job, { log, onEvent }),
      meter,
      makeReport: reporter.makeReport,
      clock: systemClock,
      version: packageVersion(),
      signal: interruption(),
      observer,
    });
    progress[Symbol.dispose]();

    const elapsedMs = performance.now() - startedAt;
    process.stderr.write(summaryText(summary, elapsedMs, process.stderr));
    process.stderr.write(reporter.note());
    view?.showReport(reporter.path());
    if (args.json) process.stdout.write(`${JSON.stringify(runJson(summary, elapsedMs))}\n`);
    const { counts, damagedAnswers } = summary.exported;
    const hasFailures =
      counts.failed > 0 || summary.counts.failedSearches > 0 || damagedAnswers > 0;
    process.exitCode = hasFailures ? failedRowsExitCode : 0;
  },
};
