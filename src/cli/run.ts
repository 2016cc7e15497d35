import { holdMemory } from '../platform/memory.ts';
import { command } from './parts/command.ts';
import {
  accept,
  adopt,
  allFlags,
  flag,
  jobArgument,
  jobFlags,
  logFormat,
  logLevel,
  newLedger,
  path,
  usage,
  yes,
} from './parts/options.ts';

export const run = command({
  options: {
    ...allFlags,
    job: jobArgument,
    ...jobFlags('maxSpend', 'share', 'refresh'),
    json: flag('Print one JSON summary at the end'),
    newLedger,
    adopt,
    accept,
    yes,
    open: flag('Open the report in the browser'),
    logFormat,
    logLevel,
    metricsFile: path('Write metrics to this file, for the Prometheus textfile collector'),
  },
  examples: {
    '$0 run jobs/demo.yaml': 'run the demonstration, offline',
    '$0 run fixtures/leads/leads.csv --url embedded':
      'run a list without a job file, with sample data',
    '$0 run jobs/nightly.yaml --max-calls 500': 'make at most 500 calls this time',
  },
  async facts(args, terminal) {
    holdMemory();
    const { asRun } = await import('./run/perform-run.ts');
    return await asRun(args, terminal, async (perform) => {
      const { metricsFile } = args;
      // Every update replaces the file, so it cannot be standard output.
      if (metricsFile === '-') throw usage('--metrics-file needs a file path');
      const { readJobToRun } = await import('../run/jobs/read-job.ts');
      return await perform(readJobToRun(args.job, args));
    });
  },
  text: () => [],
});
