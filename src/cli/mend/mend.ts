import type { ArgumentsCamelCase, CommandModule } from 'yargs';
import { DossierError, exitCodeOf } from '../../errors.ts';
import {
  type JobArguments,
  jobPositional,
  type ShareArguments,
  shareOption,
  withJobOptions,
} from '../options/job-options.ts';
import { filePath, logFormat, logLevel } from '../options/option-values.ts';
import type { RunEnd } from '../run/end/end-run.ts';
import type { RunVoice } from '../run/run-voice.ts';

interface MendArguments extends JobArguments, ShareArguments {
  job: string;
  mended: string | undefined;
  list: boolean;
  drop: string[] | undefined;
  all: boolean;
  json: boolean;
  'dry-run': boolean;
  'log-format': 'text' | 'json';
  'log-level': string;
}

export const mendCommand: CommandModule<object, MendArguments> = {
  command: 'mend <job> [mended]',
  describe: 'Fold a mended rejects file back into the list, and ask only for its rows',
  builder: (args) =>
    withJobOptions(args)
      // The result is written whole.
      .hide('limit')
      .option('share', shareOption)
      .positional('job', jobPositional)
      .positional('mended', {
        type: 'string',
        coerce: (given: string | undefined) => given && filePath(given),
        describe: 'Rejects file with mended cells, also as a spreadsheet has saved it',
      })
      .option('list', {
        type: 'boolean',
        default: false,
        describe:
          'List the corrections of the job, and which of them the list needs no more or lacks the rows of',
      })
      .option('drop', {
        type: 'string',
        array: true,
        describe: 'Drop the corrections of the rows with these keys',
      })
      .option('all', {
        type: 'boolean',
        default: false,
        describe: 'With --drop: drop all corrections of the job',
      })
      .option('dry-run', {
        type: 'boolean',
        default: false,
        describe: 'Make no call and keep nothing; say what is mended and what it would cost',
      })
      .option('json', { type: 'boolean', default: false, describe: 'End with one JSON object' })
      .option('log-format', logFormat)
      .option('log-level', logLevel)
      .example('$0 mend jobs/demo.yaml output/demo/rejects.csv', 'after cells were mended there')
      .example('$0 mend jobs/demo.yaml output/demo/rejects.csv --dry-run', 'what that would cost')
      .example('$0 mend jobs/demo.yaml --list', 'the corrections that are kept')
      .example('$0 mend jobs/demo.yaml --drop 73ca9e02022778dd', 'the row as the list has it'),
  handler: async (args) => {
    refuseMixture(args);
    if (args.list || args.drop) return await care(args);
    const { openRunVoice } = await import('../run/run-voice.ts');
    const { openRunEnd } = await import('../run/end/end-run.ts');
    using voice = openRunVoice({ ...args, isMend: true }, args.logFormat, args.logLevel);
    const end = openRunEnd(voice, args.json);
    try {
      await mend(args, voice, end);
    } catch (error) {
      process.exitCode = exitCodeOf(error);
      await end.failed(error);
    }
  },
};

type Given = ArgumentsCamelCase<MendArguments>;

function refuseMixture({ list, drop, all, mended, dryRun, limit }: Given): void {
  const usage = (message: string) => new DossierError('USAGE', message);
  if (list && drop) throw usage('--list and --drop are two things: give one of them');
  if ((list || drop) && (mended !== undefined || dryRun)) {
    throw usage(`${list ? '--list' : '--drop'} takes no file and no --dry-run`);
  }
  if (all && !drop) throw usage('--all belongs to --drop: dossier mend <job> --drop --all');
  if (drop && drop.length > 0 === all) {
    throw usage('--drop takes the keys of rows, or --all; --list shows them');
  }
  if (limit !== undefined)
    throw usage('mend writes the whole result again, so it takes no --limit');
}

/** Lists or drops corrections. */
async function care(args: Given): Promise<void> {
  const { openRanJob } = await import('../../overview/jobs/open-job.ts');
  const { dropRows, showCorrections } = await import('./mend-text.ts');
  const job = openRanJob(args.job, args);
  if (args.list) await showCorrections(job, args.json);
  else await dropRows(job, args.all ? 'all' : (args.drop ?? []), args);
}

async function mend(args: Given, voice: RunVoice, end: RunEnd): Promise<void> {
  const { openJobToRead } = await import('../../overview/jobs/open-job.ts');
  const { keepCorrections, readMending, requirePlace } = await import('../../run/corrections.ts');
  const { readCorrections } = await import('../../job/mended/correction.ts');
  const { keptText, mendingNotes, showMendPlan } = await import('./mend-text.ts');

  const job = { ...openJobToRead(args.job, args), keepsOutcomes: true };
  const path = requirePlace(job);
  if (args.mended === undefined && readCorrections(path).length === 0) {
    throw new DossierError('USAGE', 'mend takes a mended rejects file: no correction is kept yet');
  }
  const { mended } = args;
  const read = async () => (mended === undefined ? undefined : await readMending(job, mended));
  if (args.dryRun) return await showMendPlan(job, await read(), args.json);
  const { sideCopyNotes } = await import('../run/side-copy.ts');
  const { sharingText } = await import('../connect.ts');
  const prepare = async () => {
    const mending = await read();
    const notes = [
      ...(mending ? [keptText(mending, path), ...mendingNotes(mending)] : []),
      ...sharingText(job.service),
      ...(await sideCopyNotes(job, args)),
    ];
    if (mending) await keepCorrections(job, mending.corrections);
    return notes;
  };
  const { performRun } = await import('../run/perform-run.ts');
  await performRun(job, {}, { voice, end, prepare });
}
