import { basename, dirname, relative } from 'node:path';
import { isJobPath } from '../../job/from-list/job-for-file.ts';
import type { JobFlags } from '../../job/job-flags.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import type { ReplacedResult } from '../../run/replaced-result.ts';
import type { ToldAtStart } from '../../run/run-job.ts';
import { counted } from '../terminal/counted.ts';
import { sampleDataText } from '../terminal/sample-data-text.ts';
import { shellWord } from '../terminal/shell-word.ts';

/** The job as it stands on the command line, with the flags that a command advised for it needs, too. */
export interface GivenJob
  extends Pick<JobFlags, 'url' | 'keyFile' | 'output' | 'ledger' | 'rate' | 'column' | 'as'> {
  readonly job: string;
}

/** What people have to know of a run before its first call. */
export function startTexts(
  run: Run,
  { rows, given }: { readonly rows: number; readonly given: GivenJob },
  { notes, replaces }: ToldAtStart,
): string[] {
  return [
    ...sampleDataText(run.service),
    ...notes,
    ...(replaces ? [replacedText(replaces, { input: run.inputName, rows }, given)] : []),
  ];
}

/** Says which result a run replaces, and how to export it again. */
export function replacedText(
  { folder, run, input, rows }: ReplacedResult,
  now: { readonly input: string; readonly rows: number },
  given: GivenJob,
): string {
  const shown = relative(process.cwd(), folder) || '.';
  const old = counted(rows, 'row', 'rows');
  const words = [
    ...['dossier', 'export', given.job, '--run', run, '--output', `${shown}-${run}`],
    ...flagWords({ ledger: given.ledger }),
  ];
  return (
    `${shown} holds ${old} of ${basename(input)}; this run replaces them by ${counted(now.rows, 'row', 'rows')} of ${basename(now.input)}. ` +
    `To have the ${old} again, without a call: ${words.map(shellWord).join(' ')}`
  );
}

/** The command that publishes a held result. */
export function acceptCommand({ job, output, ledger }: GivenJob): string {
  const words = ['dossier', 'export', job, '--accept', ...flagWords({ output, ledger })];
  return words.map(shellWord).join(' ');
}

/** The command that runs mended rejects, without touching the result that they are part of. */
export function rejectsCommand(
  { job, ...given }: GivenJob,
  file: string,
  sheet: string | undefined,
): string {
  const { url, ledger, rate, column, as } = given;
  const words = [
    ...['dossier', 'run'],
    ...(isJobPath(job) ? [job, '--input', file, '--output', `${dirname(file)}-rejects`] : [file]),
    ...flagWords({ sheet, url, 'key-file': given.keyFile, ledger, rate, column, as }),
  ];
  return words.map(shellWord).join(' ');
}

/** `{ url: 'embedded', column: ['a', 'b'] } → --url embedded --column a --column b` */
function flagWords(flags: Readonly<Record<string, JobFlags[keyof JobFlags]>>): string[] {
  return Object.entries(flags).flatMap(([flag, value]) =>
    [value ?? []].flat().flatMap((word) => [`--${flag}`, String(word)]),
  );
}
