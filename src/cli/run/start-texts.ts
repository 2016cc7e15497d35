import { basename, relative } from 'node:path';
import type { JobFlags } from '../../job/job-flags.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import type { ReplacedResult } from '../../run/result-places.ts';
import type { ToldAtStart } from '../../run/run-parts.ts';
import { counted, nameJob, sampleDataText, shellWord } from '../terminal/text.ts';

/** The job as it stands on the command line, with the flags that a command advised for it needs, too. */
export interface GivenJob
  extends Pick<
    JobFlags,
    'input' | 'url' | 'keyFile' | 'output' | 'ledger' | 'rate' | 'column' | 'as'
  > {
  readonly job: string;
  /** The command is `fix`. */
  readonly isFix?: boolean;
}

/** What people have to know of a run before its first call. */
export function startTexts(
  run: Run,
  { rows, given }: { readonly rows: number; readonly given: GivenJob },
  { notes, replaces }: ToldAtStart,
): string[] {
  return [
    ...sampleDataText(run.service),
    ...notes.map(nameJob),
    ...(replaces ? [replacedText(replaces, { input: run.inputName, rows }, given)] : []),
  ];
}

/** Says which result a run replaces, if it is published, and how to export the old one again. */
export function replacedText(
  { folder, run, input, rows }: ReplacedResult,
  now: { readonly input: string; readonly rows: number },
  given: GivenJob,
): string {
  const shown = relative(process.cwd(), folder) || '.';
  const old = counted(rows, 'row', 'rows');
  const again = exportCommand({ ...given, output: `${shown}-${run}` }, run);
  return (
    `${shown} holds ${old} of ${basename(input)}; unless its result is held, this run replaces them by ${counted(now.rows, 'row', 'rows')} of ${basename(now.input)}. ` +
    `To have the ${old} again, without a call: ${again}`
  );
}

/** The command that publishes a held result. */
export function acceptCommand({ job, output, ledger }: GivenJob): string {
  const words = ['dossier', 'export', job, '--accept', ...flagWords({ output, ledger })];
  return words.map(shellWord).join(' ');
}

/** The command that writes the files of a run again. */
export function exportCommand(
  { job, output, ledger }: Pick<GivenJob, 'job' | 'output' | 'ledger'>,
  run: string,
): string {
  const words = ['dossier', 'export', job, '--run', run, ...flagWords({ output, ledger })];
  return words.map(shellWord).join(' ');
}

/** The command that writes a result, which is in no folder, into one. */
export function lookCommand(given: GivenJob, run: string): string {
  return exportCommand({ ...given, output: 'look' }, run);
}

/** The command that takes in a fixed rejects file back into the list. */
export function fixCommandLine({ job, ...given }: GivenJob, file: string): string {
  const { input, output, url, ledger, rate, column, as } = given;
  const flags = { input, output, url, 'key-file': given.keyFile, ledger, rate, column, as };
  // A bare list from standard input is gone, so that its rejects are a list of their own.
  const sheet = file.endsWith('.xlsx') ? 'Rejects' : undefined;
  const ownFlags = { ...flags, input: undefined, output: undefined, sheet };
  const words =
    job === '-'
      ? ['dossier', 'run', file, ...flagWords(ownFlags)]
      : ['dossier', 'fix', job, file, ...flagWords(flags)];
  return words.map(shellWord).join(' ');
}

/** The command that asks again for what failed. */
export function retryText({ job, isFix = false }: GivenJob): string {
  const command = isFix
    ? `\`dossier run ${shellWord(job)}\` retries`
    : 'Run the same command again to retry';
  return `${command} what failed; what was answered is not paid twice.`;
}

/** `{ url: 'embedded', column: ['a', 'b'] } → --url embedded --column a --column b` */
function flagWords(flags: Readonly<Record<string, JobFlags[keyof JobFlags]>>): string[] {
  return Object.entries(flags).flatMap(([flag, value]) =>
    [value ?? []].flat().flatMap((word) => [`--${flag}`, String(word)]),
  );
}
