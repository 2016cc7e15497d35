import type { CommandModule } from 'yargs';
import { printable } from '../runtime/printable.ts';
import { type JobArguments, once } from './options/job-options.ts';
import { filePath, wholeNumber } from './options/option-values.ts';
import { shellWord } from './terminal/text.ts';

interface StatusArguments extends Pick<JobArguments, 'ledger'> {
  job: string | undefined;
  runs: number;
  starts: number;
  json: boolean;
}

export const statusCommand: CommandModule<object, StatusArguments> = {
  command: 'status [job]',
  describe: 'Show where runs stand, while they are running, too',
  builder: (args) =>
    args
      .positional('job', {
        type: 'string',
        coerce: filePath,
        describe: 'Job file (.yaml), list that was run, or name of a job; every job when absent',
      })
      .option('runs', {
        default: 5,
        requiresArg: true,
        coerce: wholeNumber('runs', { min: 1, max: 10_000 }),
        describe: 'How many runs of the job to show, newest first',
      })
      .option('starts', {
        default: 5,
        requiresArg: true,
        coerce: wholeNumber('starts', { min: 1, max: 200 }),
        describe: 'How many starts of the job to show, newest first',
      })
      .option('ledger', once('ledger', 'SQLite file that remembers answers'))
      .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' })
      .example('$0 status jobs/demo.yaml', 'the newest runs of a job')
      .example('$0 status --ledger output/demo/ledger.db', 'every job of a ledger')
      .example('$0 status jobs/demo.yaml --runs 1 --json', 'the newest run, for scripts'),
  handler: async ({ job, runs, starts, ledger, json }) => {
    const { findStatusLedger, readStatus } = await import('../overview/status/read-status.ts');
    const { openToLook } = await import('./snapshot.ts');
    const { otherLedgerNote } = await import('../overview/jobs/kept-ledger.ts');
    const { statusText } = await import('./status/status-text.ts');
    const { describeSnapshots } = await import('./snapshot.ts');

    const request = { job, word: job && shellWord(job), runs, starts, ledger };
    const found = findStatusLedger(request);
    // A store that does not answer is part of the status.
    const looking = found.named && openToLook(found.named.job).catch(() => undefined);
    await using look = await looking;
    const { named, note, ...read } = readStatus(request, found, look?.path);
    const status = { ...read.status, snapshot: named ? await describeSnapshots(named) : null };
    const notes = [named && otherLedgerNote(named), note].filter((one) => one !== undefined);
    for (const one of notes) process.stderr.write(`${printable(one)}\n`);
    process.stdout.write(
      json
        ? `${JSON.stringify(status)}\n`
        : statusText(status, { isOneJob: job !== undefined }, process.stdout),
    );
  },
};
