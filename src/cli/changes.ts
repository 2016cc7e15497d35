import type { CommandModule } from 'yargs';
import { DossierError } from '../errors.ts';
import { changeOps } from '../records/changes/change.ts';
import { parseDuration } from '../runtime/duration.ts';
import { shownOfOp, type WantedChanges } from './changes/wanted-changes.ts';
import { type JobArguments, once, ranJobPositional } from './options/job-options.ts';
import { runNumber, severalChoices, singleText, wholeNumber } from './options/option-values.ts';

interface ChangesArguments extends Pick<JobArguments, 'ledger'>, WantedChanges {
  job: string;
}

export const changesCommand: CommandModule<object, ChangesArguments> = {
  command: 'changes <job>',
  describe: 'Show what differs between two runs of a job; makes no call',
  builder: (args) =>
    args
      .positional('job', ranJobPositional)
      .option('from', {
        requiresArg: true,
        coerce: runNumber('from'),
        describe: 'The earlier run, such as r29 (default: the complete one before)',
      })
      .option('to', {
        requiresArg: true,
        coerce: runNumber('to'),
        describe: 'The later run, such as r30 (default: the newest complete one)',
      })
      .option('since', {
        requiresArg: true,
        conflicts: 'from',
        coerce: timeBack,
        describe: 'Compare with the run that was newest this long ago, such as 7d',
      })
      .option('op', {
        requiresArg: true,
        coerce: severalChoices('op', changeOps),
        describe: `Only these changes; may be repeated: ${changeOps.join(', ')}`,
      })
      .option('limit', {
        requiresArg: true,
        coerce: wholeNumber('limit', { min: 1, max: 1_000_000 }),
        describe: `Show this many of each kind (default: ${shownOfOp}, all with --json)`,
      })
      .option('ledger', once('ledger', 'SQLite file that remembers answers'))
      .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object a line' })
      .example('$0 changes jobs/demo.yaml', 'since the run before')
      .example('$0 changes jobs/demo.yaml --since 7d --op company_lost', 'lost within a week')
      .example('$0 changes jobs/demo.yaml --from r29 --to r30 --json', 'for scripts'),
  handler: async (args) => {
    const { openRanJob } = await import('../overview/jobs/open-job.ts');
    const { showChanges } = await import('./changes/show-changes.ts');
    const { tellingTrouble } = await import('../ledger/file/ledger-trouble.ts');
    const job = openRanJob(args.job, { ledger: args.ledger });
    await tellingTrouble(job.ledger, () => showChanges(job, args));
  },
};

function timeBack(given: unknown): number {
  const ms = parseDuration(singleText('since')(given));
  if (ms !== undefined) return ms;
  const found = JSON.stringify(given);
  throw new DossierError('USAGE', `--since takes a time such as 12h, 7d or 4w, not ${found}`);
}
