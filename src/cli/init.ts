import { dirname, join, relative, resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { DossierError } from '../errors.ts';
import { isListAddress, shownPath } from '../runtime/files/local-path.ts';
import { printable } from '../runtime/printable.ts';
import { type JobArguments, withColumns, withInputForm } from './options/job-options.ts';
import { filePath, singlePath } from './options/option-values.ts';
import { shellWord } from './terminal/text.ts';

interface InitArguments
  extends Pick<JobArguments, 'sheet' | 'encoding' | 'delimiter' | 'header-row' | 'column' | 'as'> {
  file: string;
  to: string | undefined;
  force: boolean;
  json: boolean;
}

export const initCommand: CommandModule<object, InitArguments> = {
  command: 'init <file>',
  describe: 'Draft a job file from a list, by looking at its columns',
  builder: (args) =>
    withColumns(withInputForm(args))
      .positional('file', {
        type: 'string',
        demandOption: true,
        coerce: filePath,
        describe: 'CSV, JSON, JSONL, Parquet or Excel list of companies, or its address',
      })
      .option('to', {
        requiresArg: true,
        coerce: jobFilePath,
        describe: 'Where to write the job; - is standard output (default: beside the list)',
      })
      .option('force', { type: 'boolean', default: false, describe: 'Replace a file that exists' })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'Print what was found as one JSON object',
      })
      .example('$0 init fixtures/leads/leads.csv --to my-leads.yaml', 'a job for the sample list')
      .example('$0 init fixtures/leads/leads.csv --to -', 'look at it first'),
  handler: async ({ file, to, force, json, column, as, ...given }) => {
    if (file === '-')
      throw new DossierError('USAGE', 'init takes a file; a pipe cannot be read twice');
    if (json && to === '-') {
      throw new DossierError('USAGE', '--json and --to - both want the standard output');
    }
    const { jobName } = await import('../job/from-list/job-name.ts');
    const { readColumns, readInputForm } = await import('../job/job-flags.ts');
    const { draftJob } = await import('../job/from-list/draft-job.ts');
    const { inspectList } = await import('../overview/lists/inspect-list.ts');
    const { askQuestions } = await import('./init/init-questions.ts');
    const { foundText, initJson, unsureText } = await import('./init/init-findings.ts');
    const { refuseExisting, writeDraft } = await import('../overview/lists/write-draft.ts');

    const name = jobName(file);
    // A list elsewhere has no folder of this machine, so that its job is written here.
    const path = to ?? join(isListAddress(file) ? '' : dirname(file), `${name}.yaml`);
    if (path !== '-' && !force) refuseExisting(path);
    const jobPath = path === '-' ? `${name}.yaml` : path;
    const form = readInputForm(given);
    const list = await inspectList(file, form, readColumns({ column, as }));
    process.stderr.write(foundText(list, process.stderr));
    const { country, hasPeople } = await askQuestions(list, process.stdin, process.stderr);
    const text = draftJob({
      name,
      inputPath: placeOf(file, path),
      form,
      hasHeader: list.hasHeader,
      rowsSeen: list.rowsSeen,
      facts: list.facts,
      columns: list.columns,
      isSure: list.isSure,
      key: list.key,
      country,
      hasPeople,
      jobPath: shellWord(jobPath),
    });
    if (path === '-') {
      process.stdout.write(text);
      process.stderr.write(unsureText(list, text, 'the draft'));
      return;
    }
    await writeDraft(path, text, { isForced: force });
    process.stderr.write(`\nWrote ${printable(path)}. ${unsureText(list, text, path)}`);
    const isNamed = Boolean(process.env.DOSSIER_URL);
    process.stderr.write(
      isNamed ? 'Next:\n' : 'Next, with DOSSIER_URL set or `--url embedded` to try it:\n',
    );
    for (const command of ['check', 'plan', 'run']) {
      process.stderr.write(`  dossier ${command} ${shellWord(path)}\n`);
    }
    if (json) process.stdout.write(`${JSON.stringify(initJson(list, { name, path }))}\n`);
  },
};

/** How a job file names its list. A secret does not go into a file that people check in. */
function placeOf(file: string, jobPath: string): string {
  if (isListAddress(file)) return shownPath(file);
  // The folder of standard output is unknown, so no relative path would be right there.
  return jobPath === '-' ? resolve(file) : relative(dirname(resolve(jobPath)), resolve(file));
}

function jobFilePath(given: unknown): string {
  const path = typeof given === 'string' ? filePath(given) : '';
  if (path !== '') return singlePath('to')(path);
  throw new DossierError('USAGE', '--to takes one path, or - for standard output');
}
