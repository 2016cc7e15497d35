import type { CommandModule } from 'yargs';
import {
  type JobArguments,
  jobPositional,
  type ShareArguments,
  shareOption,
  withJobOptions,
} from './options/job-options.ts';

interface CheckArguments extends JobArguments, ShareArguments {
  job: string;
  json: boolean;
  notify: boolean;
}

export const checkCommand: CommandModule<object, CheckArguments> = {
  command: 'check <job>',
  aliases: ['doctor'],
  describe: 'Check job, input, ledger, output, key and service; pays for nothing',
  builder: (args) =>
    withJobOptions(args)
      .positional('job', jobPositional)
      .option('share', shareOption)
      .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' })
      .option('notify', {
        type: 'boolean',
        default: false,
        describe: 'Post a test message to notify.url of the job',
      })
      .example('$0 check jobs/demo.yaml', 'whether the demonstration would run')
      .example('$0 check jobs/demo.yaml --json', 'for scripts'),
  handler: async (args) => {
    const { checkParts } = await import('./check/check-parts.ts');
    const { renderCheck, summarise } = await import('./check/check-report.ts');
    const checks = await Array.fromAsync(checkParts(args.job, args));
    const report = summarise(checks);
    if (args.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    else process.stdout.write(renderCheck(report, process.stdout));
    process.exitCode = report.exitCode;
  },
};
