import type { ArgumentsCamelCase, CommandModule } from 'yargs';
import type { ClientEvent } from '../client/client-event.ts';
import { exitCodeOf } from '../errors.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { packageVersion } from '../runtime/package-path.ts';
import {
  type JobArguments,
  jobPositional,
  type RefreshArguments,
  refreshOption,
  withJobOptions,
} from './options/job-options.ts';
import { logFormat, singleChoice } from './options/option-values.ts';
import { showPlan } from './plan.ts';
import type { RunEnd } from './run/end/end-run.ts';
import { listenForSignals } from './run/interruption.ts';
import { joinObservers } from './run/join-observers.ts';
import { type MetricsArguments, metricsOptions } from './run/metrics-options.ts';
import type { RunVoice } from './run/run-voice.ts';

interface RunArguments extends JobArguments, RefreshArguments, MetricsArguments {
  job: string;
  json: boolean;
  'dry-run': boolean;
  open: boolean;
  'log-format': 'text' | 'json';
  'log-level': string;
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/** Opens the live view, whose server is loaded only for --open. */
async function openView(job: ResolvedJob, announce: (url: string) => void) {
  const { openRunView } = await import('./run/run-view.ts');
  return await openRunView(job, announce);
}

export const runCommand: CommandModule<object, RunArguments> = {
  command: 'run <job>',
  describe: 'Run a job file or a bare list; run it again to resume',
  builder: (args) =>
    withJobOptions(args)
      .positional('job', jobPositional)
      .option('refresh', refreshOption)
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
      .example('$0 run jobs/nightly.yaml --max-calls 500', 'at most 500 requests this time'),
  handler: async (args) => {
    const { openRunVoice } = await import('./run/run-voice.ts');
    const { openRunEnd } = await import('./run/end/end-run.ts');
    using voice = openRunVoice(args, args.logFormat, args.logLevel);
    const end = openRunEnd(voice, args.json);
    try {
      await perform(args, voice, end);
    } catch (error) {
      process.exitCode = exitCodeOf(error);
      await end.failed(error);
    }
  },
};

type Given = ArgumentsCamelCase<RunArguments>;

async function perform(args: Given, voice: RunVoice, end: RunEnd): Promise<void> {
  const { openJobToRead } = await import('./options/open-job.ts');
  const job = openJobToRead(args.job, args);
  if (args.dryRun) return await showPlan(job, args);
  const { runJob } = await import('../run/run-job.ts');
  const { openCallMeter } = await import('../run/calls/call-meter.ts');
  const { openRequestBudget } = await import('../run/calls/request-budget.ts');
  const { openMetrics } = await import('../metrics/open-metrics.ts');
  const { accountFor, prepareConnection } = await import('./run/connect.ts');
  const { systemClock } = await import('../runtime/clock.ts');
  const { openReporter } = await import('../report/report-sink.ts');
  const { runJson } = await import('./run/run-json.ts');
  const { openJobOnCall } = await import('./run/end/open-job-on-call.ts');

  const { log } = voice;
  const version = packageVersion();
  const budget = openRequestBudget(job.budget.perStart, job.service.price);
  const metrics = await openMetrics(
    { file: args.metricsFile, otlp: args.otlp, env: process.env },
    { job: job.name, version, clock: systemClock, log, budget },
  );
  const interruption = listenForSignals(end.cutOff);
  const onCall = await openJobOnCall(job, log);
  end.tell(onCall);
  const observer = joinObservers(
    ...voice.show(job.name, budget),
    { onStop: interruption.onStop, onTaken: () => onCall?.begin() },
    metrics.meter,
  );
  const meter = openCallMeter(systemClock);
  const onEvent = (event: ClientEvent) => {
    observer.onEvent(event);
    meter.note(event);
  };
  await using view = args.open ? await openView(job, voice.sayLive) : undefined;
  const reporter = openReporter(view?.onReport);
  const summary = await metrics.watch(async () => {
    return await runJob(job, {
      openClient: prepareConnection(job, { log, onEvent }),
      account: accountFor(job),
      meter,
      openReport: reporter.openReport,
      clock: systemClock,
      version,
      signal: interruption.signal,
      observer,
      budget,
    });
  });

  const { exitCode } = summary;
  const report = reporter.path();
  await metrics.end(exitCode);
  process.exitCode = exitCode;
  await end.done({ summary, report, trouble: reporter.trouble() }, runJson(summary));
  await view?.showReport(report);
}
