import { command } from './command.ts';
import { allFlags, flag, job, jobFlags, logFormat, logLevel, path, usage } from './options.ts';

export const run = command({
  options: {
    ...allFlags,
    job,
    ...jobFlags('maxSpend', 'share', 'refresh'),
    json: flag('End with one JSON summary'),
    newLedger: flag('Create the ledger of a job with ledger.mustExist; fails if it exists'),
    accept: flag('Look up this list although it is held as empty, cut or unexpected'),
    open: flag('Show the report in the browser, and the run itself if it takes over 5 s'),
    logFormat,
    logLevel,
    metricsFile: path('Write metrics to this file, for the Prometheus textfile collector'),
  },
  examples: {
    '$0 run jobs/demo.yaml': 'the demonstration, offline',
    '$0 run fixtures/leads/leads.csv --url embedded': 'a bare list over the sample data',
    '$0 run jobs/nightly.yaml --max-calls 500': 'at most 500 requests this time',
  },
  async facts(args, terminal) {
    const { asRun } = await import('./run/perform-run.ts');
    return await asRun(args, terminal, async (perform) => {
      const { metricsFile, newLedger } = args;
      // Not standard output: the file is replaced at every update.
      if (metricsFile === '-') throw usage('--metrics-file needs the path of a file');
      const { openJobToRead } = await import('../ui/overview/jobs.ts');
      const opened = openJobToRead(args.job, args);
      const ledgerCare = { ...opened.ledgerCare, ...(newLedger && { mustExist: false }) };
      const of = { ...opened, ledgerCare };
      return await perform(of);
    });
  },
  text: () => [],
});
