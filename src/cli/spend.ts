import type { CommandModule } from 'yargs';
import { type Grouping, groupings } from '../overview/spend/groupings.ts';
import { printable } from '../runtime/printable.ts';
import { type JobArguments, once } from './options/job-options.ts';
import { filePaths, severalChoices } from './options/option-values.ts';

interface SpendArguments extends Pick<JobArguments, 'ledger'> {
  jobs: string[];
  by: Grouping[] | undefined;
  since: string | undefined;
  timezone: string | undefined;
  json: boolean;
}

export const spendCommand: CommandModule<object, SpendArguments> = {
  command: 'spend [jobs...]',
  describe: 'Show what was paid, in requests that may be charged and in money',
  builder: (args) =>
    args
      .positional('jobs', {
        type: 'string',
        array: true,
        alias: 'job',
        default: [],
        coerce: filePaths,
        describe:
          'Job files (.yaml), lists that were run, or names; all jobs and lookups when absent',
      })
      .option('by', {
        requiresArg: true,
        coerce: severalChoices('by', groupings),
        describe: `Group by ${groupings.join(', ')}; may be repeated (default: day, job, operation)`,
      })
      .option(
        'since',
        once('since', 'A date such as 2026-11-01, or a time such as 7d (default: 30d)'),
      )
      .option('timezone', once('timezone', 'Where days begin (default: as the job says, or UTC)'))
      .option('ledger', once('ledger', 'SQLite file that remembers answers'))
      .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' })
      .example('$0 spend', 'the last 30 days, by day, job and operation')
      .example('$0 spend jobs/nightly.yaml --by month --since 365d', 'a job, month by month')
      .example('$0 spend --by job --since 2026-11-01 --json', 'since a date, for scripts'),
  handler: async ({ jobs, by, since, timezone, ledger, json }) => {
    const { findSpendLedger, readSpend } = await import('../overview/spend/read-spend.ts');
    const { openToLook } = await import('./snapshot.ts');
    const { spendText } = await import('./spend/spend-text.ts');

    const request = { jobs, by: by ?? ['day', 'job', 'operation'], since, timezone, ledger };
    const found = findSpendLedger(request);
    await using look = await openToLook(found.job);
    const { spend, note } = readSpend(request, Date.now(), found, look.path);
    if (note !== undefined) process.stderr.write(`${printable(note)}\n`);
    process.stdout.write(json ? `${JSON.stringify(spend)}\n` : spendText(spend, process.stdout));
  },
};
