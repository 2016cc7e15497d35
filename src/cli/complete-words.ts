import { scanFolder } from '../overview/jobs/scan-folder.ts';
import { printable } from '../runtime/printable.ts';

/** Commands whose first argument is a job; completion offers them the job files of the folder. */
const takesJob: ReadonlySet<unknown> = new Set([
  'run',
  'plan',
  'check',
  'export',
  'status',
  'spend',
]);

type Complete = (error: Error | null, words: readonly string[] | undefined) => void;

/**
 * What a shell offers for a word. yargs offers commands, flags and choices. Its flags are left out
 * unless the word begins with a dash: without an offer, the shell completes names of files itself.
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
        ? scanFolder(process.cwd()).jobs.filter(isPrintable)
        : others,
    );
  });
}

/** A shell writes the offered words to the terminal as they are. */
function isPrintable(path: string): boolean {
  return printable(path) === path;
}

/** Whether the word is the first argument: only `dossier run` and the word itself are typed. */
function wantsJob({ _: words }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(words) && words.length <= 3 && takesJob.has(words[1]);
}
