import type { CommandModule } from 'yargs';
import { DossierError } from '../errors.ts';
import { printable } from '../runtime/printable.ts';
import { type JobArguments, once } from './options/job-options.ts';
import { filePath, wholeNumber } from './options/option-values.ts';
import { shellWord } from './terminal/shell-word.ts';

interface StatusArguments extends Pick<JobArguments, 'ledger' | 'url' | 'key-file'> {
  job: string | undefined;
  runs: number;
  starts: number;
  share: string | undefined;
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
      .option('share', {
        type: 'string',
        coerce: shareToShow,
        describe:
          'Show what machines with one key share, instead of runs: queue, workers, rate; may name the Redis (redis://…)',
      })
      .option('url', once('url', 'With --share: address of the service'))
      .option('key-file', once('key-file', 'With --share: file that holds the key'))
      .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' })
      .example('$0 status jobs/demo.yaml', 'the newest runs of a job')
      .example('$0 status --ledger output/demo/ledger.db', 'every job of a ledger')
      .example('$0 status jobs/demo.yaml --runs 1 --json', 'the newest run, for scripts')
      .example(
        '$0 status jobs/nightly.yaml --share',
        'who makes the calls of its key, and how fast',
      ),
  handler: async ({ job, runs, starts, ledger, share, url, keyFile, json }) => {
    if (share !== undefined) {
      const { showShare } = await import('./status/show-share.ts');
      return await showShare({ job, share, url, keyFile, json });
    }
    const { readStatus } = await import('../overview/status/read-status.ts');
    const { otherLedgerNote } = await import('../overview/jobs/kept-ledger.ts');
    const { statusText } = await import('./status/status-text.ts');
    const { describeSnapshots } = await import('./snapshot/snapshot-report.ts');

    const { named, note, ...read } = readStatus({
      ...{ job, word: job && shellWord(job), runs, starts, ledger },
    });
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

/** An empty text for the bare flag. */
function shareToShow(given: unknown): string | undefined {
  if (given === undefined || typeof given === 'string') return given;
  throw new DossierError('USAGE', '--share takes one value');
}
