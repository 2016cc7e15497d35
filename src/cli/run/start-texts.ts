import { basename, relative } from 'node:path';
import { isJobPath } from '../../job/from-list/job-for-file.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import type { ReplacedResult } from '../../run/replaced-result.ts';
import type { ToldAtStart } from '../../run/run-job.ts';
import { counted } from '../terminal/counted.ts';
import { sampleDataText } from '../terminal/sample-data-text.ts';
import { shellWord } from '../terminal/shell-word.ts';

/** What people have to know of a run before its first call. */
export function startTexts(
  run: Run,
  { rows, given }: { readonly rows: number; readonly given: string },
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
  given: string,
): string {
  const shown = relative(process.cwd(), folder) || '.';
  const old = counted(rows, 'row', 'rows');
  const words = ['dossier', 'export', given, '--run', run, '--output', `${shown}-${run}`];
  return (
    `${shown} holds ${old} of ${basename(input)}; this run replaces them by ${counted(now.rows, 'row', 'rows')} of ${basename(now.input)}. ` +
    `To have the ${old} again, without a call: ${words.map(shellWord).join(' ')}`
  );
}

/** The command that runs a mended rejects file, without touching the result that it is part of. */
export function rejectsCommand(given: string, folder: string, file: string): string {
  const words = isJobPath(given)
    ? ['dossier', 'run', given, '--input', `${folder}/${file}`, '--output', `${folder}-rejects`]
    : ['dossier', 'run', `${folder}/${file}`];
  return words.map(shellWord).join(' ');
}
