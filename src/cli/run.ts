import type { ArgumentsCamelCase, CommandModule } from 'yargs';
import { exitCodeOf } from '../errors.ts';
import {
  type JobArguments,
  jobPositional,
  type RefreshArguments,
  refreshOption,
  type ShareArguments,
  shareOption,
  withJobOptions,
} from './options/job-options.ts';
import { logFormat, logLevel } from './options/option-values.ts';
import { showPlan } from './plan.ts';
import type { RunEnd } from './run/end/end-run.ts';
import { type MetricsArguments, metricsOptions } from './run/metrics-options.ts';
import type { RunVoice } from './run/run-voice.ts';

interface RunArguments extends JobArguments, RefreshArguments, MetricsArguments, ShareArguments {
  job: string;
  json: boolean;
  'dry-run': boolean;
  open: boolean;
  'new-ledger': boolean;
  'log-format': 'text' | 'json';
  'log-level': string;
}

export const runCommand: CommandModule<object, RunArguments> = {
  command: 'run <job>',
  describe: 'Run a job file or a bare list; run it again to resume',
  builder: (args) =>
    withJobOptions(args)
      .positional('job', jobPositional)
      .option('share', shareOption)
      .option('refresh', refreshOption)
      .option('json', { type: 'boolean', default: false, describe: 'End with one JSON summary' })
      .option('dry-run', {
        type: 'boolean',
        default: false,
        describe: 'Make no call; say what a run would do, as dossier plan does',
      })
      .option('new-ledger', {
        type: 'boolean',
        default: false,
        describe:
          'Start a job whose ledger must exist although there is none; refuses where there is one',
      })
      .option('open', {
        type: 'boolean',
        default: false,
        describe:
          'Show a run of more than 5 s in the browser while it goes on, and its report at the end',
      })
      .option('log-format', logFormat)
      .option('log-level', logLevel)
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
  const { openJobToRead } = await import('../overview/jobs/open-job.ts');
  const opened = openJobToRead(args.job, args);
  const ledgerCare = { ...opened.ledgerCare, ...(args.newLedger && { mustExist: false }) };
  const job = { ...opened, ledgerCare };
  if (args.dryRun) return await showPlan(job, args);
  const { performRun } = await import('./run/perform-run.ts');
  const { sideCopyNotes } = await import('./run/side-copy.ts');
  const { sharingText } = await import('./connect.ts');
  const notes = [...sharingText(job.service), ...(await sideCopyNotes(job, args))];
  for (const note of notes) voice.sayNote(note);
  await performRun(job, args, { voice, end, notes });
}
