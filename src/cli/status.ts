import { otherLedgerNote } from '../overview/jobs/kept-ledger.ts';
import { findStatusLedger, readStatus } from '../overview/status/read-status.ts';
import { command } from './command.ts';
import { jobFlags, text, wholeNumber } from './options.ts';
import { describeSnapshots, openToLook } from './snapshot.ts';
import { statusText } from './status/status-text.ts';
import { shellWord } from './terminal/text.ts';

export const status = command({
  options: {
    job: text('Job file (.yaml), list that was run, or name of a job; every job when absent'),
    runs: wholeNumber('How many runs of the job to show, newest first', [1, 10_000], 5),
    starts: wholeNumber('How many starts of the job to show, newest first', [1, 200], 5),
    ...jobFlags('ledger'),
  },
  examples: {
    '$0 status jobs/demo.yaml': 'the newest runs of a job',
    '$0 status --ledger output/demo/ledger.db': 'every job of a ledger',
    '$0 status jobs/demo.yaml --runs 1 --json': 'the newest run, for scripts',
  },
  async facts({ job, runs, starts, ledger }, terminal) {
    const request = { job, word: job && shellWord(job), runs, starts, ledger };
    const found = findStatusLedger(request);
    // A store that does not answer is part of the status.
    const looking = found.named && openToLook(found.named.job).catch(() => undefined);
    await using look = await looking;
    const { named, note, ...read } = readStatus(request, found, look?.path);
    for (const one of [named && otherLedgerNote(named), note]) if (one) terminal.note(one);
    return { ...read.status, snapshot: named ? await describeSnapshots(named) : null };
  },
  text: (found, { stream }, { job }) => statusText(found, { isOneJob: job !== undefined }, stream),
});
