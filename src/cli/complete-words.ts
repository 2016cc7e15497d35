import { printable } from '../runtime/printable.ts';
import { commands } from './commands.ts';

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
    if (others.length > 0 || isValue || !wantsJob(argv)) return done(others);
    void import('../overview/jobs/scan-folder.ts').then(({ scanFolder }) =>
      // A shell writes the offered words to the terminal as they are.
      done(scanFolder(process.cwd()).jobs.filter((path) => printable(path) === path)),
    );
  });
}

/** Whether the word is the first argument, and a job: only `dossier run` and the word itself are typed. */
function wantsJob({ _: words }: Readonly<Record<string, unknown>>): boolean {
  if (!Array.isArray(words) || words.length > 3) return false;
  return Object.entries(commands).some(
    ([name, [positionals]]) => name === words[1] && /^.jobs?\b/.test(positionals),
  );
}
