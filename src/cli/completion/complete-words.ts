import { findWork } from '../welcome/find-work.ts';

/** Commands whose first argument is a job, so that those of the folder are offered. */
const takesJob: ReadonlySet<unknown> = new Set([
  'run',
  'plan',
  'check',
  'doctor',
  'export',
  'status',
  'watch',
]);

type Complete = (error: Error | null, words: readonly string[] | undefined) => void;

/**
 * What a shell offers. yargs knows commands, flags and choices; where a file may stand it would offer
 * flags, so that they are left out and the shell completes names of files instead.
 */
export function completeWords(
  current: string,
  argv: Readonly<Record<string, unknown>>,
  completeDefault: (done: Complete) => void,
  done: (words: string[]) => void,
): void {
  completeDefault((_error, words = []) => {
    if (current.startsWith('-')) return done([...words]);
    const others = words.filter((word) => !word.startsWith('-'));
    const isValue = process.argv.at(-2)?.startsWith('-') ?? false;
    done(
      others.length === 0 && !isValue && wantsJob(argv)
        ? [...findWork(process.cwd()).jobs]
        : others,
    );
  });
}

/** The words so far are `dossier run` and the one under the cursor. */
function wantsJob({ _: words }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(words) && words.length <= 3 && takesJob.has(words[1]);
}
