import { command } from './command.ts';
import { allFlags, flag, job, jobFlags, logFormat, logLevel, path, usage } from './options.ts';

export const run = command({
  options: {
    ...allFlags,
    job,
    ...jobFlags('maxSpend', 'share', 'refresh'),
    json: flag('End with one JSON summary'),
    newLedger: flag(
      'Start a job whose ledger must exist although there is none; refuses where there is one',
    ),
    accept: flag(
      'Look this list up although it was held: it is empty, cut or not what was expected',
    ),
    open: flag(
      'Show a run of more than 5 s in the browser while it goes on, and its report at the end',
    ),
    logFormat,
    logLevel,
    metricsFile: path('Keep metrics in this file, for the textfile collector of Prometheus'),
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
      if (metricsFile === '-') throw usage('--metrics-file takes the path of a file');
      const { openJobToRead } = await import('../ui/overview/jobs.ts');
      const opened = openJobToRead(args.job, args);
      const ledgerCare = { ...opened.ledgerCare, ...(newLedger && { mustExist: false }) };
      const of = { ...opened, ledgerCare };
      return await perform(of);
    });
  },
  text: () => [],
});
