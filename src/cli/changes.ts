import type { CommandModule } from 'yargs';
import { DossierError } from '../errors.ts';
import { changeOps } from '../records/changes/change.ts';
import { parseDuration } from '../runtime/duration.ts';
import { printable } from '../runtime/printable.ts';
import { type JobArguments, once } from './options/job-options.ts';
import {
  filePath,
  runNumber,
  severalChoices,
  singleText,
  wholeNumber,
} from './options/option-values.ts';

interface ChangesArguments extends Pick<JobArguments, 'ledger'> {
  job: string;
  from: number | undefined;
  to: number | undefined;
  since: number | undefined;
  op: (typeof changeOps)[number][] | undefined;
  limit: number | undefined;
  json: boolean;
}

/** Changes of one kind on a terminal, so that the kinds stay in sight together. */
const shownOfOp = 10;

export const changesCommand: CommandModule<object, ChangesArguments> = {
  command: 'changes <job>',
  describe: 'Show what differs between two runs of a job; makes no call',
  builder: (args) =>
    args
      .positional('job', {
        type: 'string',
        demandOption: true,
        coerce: filePath,
        describe: 'Job file (.yaml), or the list that was run',
      })
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
  handler: async ({ job: given, from, to, since, op: ops = [], limit, ledger: path, json }) => {
    const { openRanJob } = await import('./options/open-job.ts');
    const { chooseRuns, openToCompare } = await import('./changes/choose-runs.ts');
    const { sampleDataText } = await import('./terminal/sample-data-text.ts');
    const { compareRuns } = await import('../records/changes/compare-runs.ts');
    const { howToCompare } = await import('../run/write-outputs.ts');

    const job = openRanJob(given, { ledger: path });
    using ledger = openToCompare(job);
    const chosen = chooseRuns(ledger, job.name, { from, to, sinceMs: since }, Date.now());
    const { base, run, note } = chosen;
    const notes = [...sampleDataText(run.service), ...(note === undefined ? [] : [note])];
    for (const text of notes) process.stderr.write(`${printable(text)}\n`);
    if (!base) return;
    const changes = compareRuns(ledger, { base, run }, howToCompare(job));
    if (json) {
      const { changeLines } = await import('./changes/change-json.ts');
      const { writeLines } = await import('./terminal/write-lines.ts');
      await writeLines(process.stdout, changeLines(changes, { ops, limit }));
      return;
    }
    const { openChangeTally } = await import('../sinks/tally/change-tally.ts');
    const { changesText } = await import('./changes/changes-text.ts');
    const tally = openChangeTally(limit ?? shownOfOp);
    for (const change of changes) tally.add(change);
    const shown = { base, run, tally: tally.facts(), ops };
    process.stdout.write(changesText(shown, process.stdout));
  },
};

function timeBack(given: unknown): number {
  const ms = parseDuration(singleText('since')(given));
  if (ms !== undefined) return ms;
  const found = JSON.stringify(given);
  throw new DossierError('USAGE', `--since takes a time such as 12h, 7d or 4w, not ${found}`);
}
