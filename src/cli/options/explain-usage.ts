import type { CommandModule } from 'yargs';
import { nearestWord } from '../../runtime/nearest-word.ts';

interface Program {
  readonly commands: readonly Pick<CommandModule, 'command' | 'aliases'>[];
  /** The text of `dossier … --help`. */
  helpOf(argv: readonly string[]): Promise<string>;
}

/**
 * Says what is wrong with a command line and what to type instead. yargs gives its errors as text
 * only, so their parts are read from the text.
 */
export async function explainUsage(
  message: string,
  argv: readonly string[],
  { commands, helpOf }: Program,
): Promise<string> {
  const typed = argv.find((word) => !word.startsWith('-')) ?? '';
  const known = commands.map(({ command, aliases = [] }) => {
    const [name = '', ...positionals] = String(command).split(' ');
    return { name, words: [name, ...aliases], needed: positionals.join(' ') };
  });
  const names = known.map(({ name }) => name);
  const found = known.find(({ words }) => words.includes(typed));
  if (typed !== '' && !found) {
    const rest = `; there are ${names.join(', ')}`;
    return `there is no command ${typed}${meant(nearestWord(typed, names) ?? onlyCompletion(typed, names)) || rest}`;
  }
  // yargs has no documented way to ask for the options of a command, but its help lists them.
  const options = wordsIn(await helpOf(typed === '' ? [] : [typed]), /--([\w-]+)/g);
  const unknown = /^Unknown arguments?: (?<words>.*)$/s.exec(message)?.groups?.words;
  if (unknown !== undefined) return explainUnknown(unknown.split(', '), typed, argv, options);
  const valueless = /^Not enough arguments following: (?<option>.*)$/.exec(message)?.groups?.option;
  if (valueless !== undefined) return `--${valueless} takes a value`;
  const choice = /Argument: (?<name>\S+), Given: (?<given>.*), Choices: (?<choices>.*)$/.exec(
    message,
  );
  if (choice?.groups) {
    const { name, given, choices } = choice.groups;
    const dashes = options.includes(name ?? '') ? '--' : '';
    return `${dashes}${name} takes one of ${choices}, not ${given}`;
  }
  if (!message.startsWith('Not enough non-option arguments')) return message;
  const needed = found?.needed ?? '';
  return `dossier ${typed} ${needed}: ${needed} is missing`;
}

function explainUnknown(
  words: readonly string[],
  command: string,
  argv: readonly string[],
  options: readonly string[],
): string {
  // yargs names each unknown option twice: as it is typed and in camel case.
  const [word = ''] = words.filter((some) => isTyped(some, argv));
  if (!argv.some((some) => some.startsWith('-') && some.includes(word))) {
    return `${command} does not take ${JSON.stringify(word)}: an argument too many`;
  }
  const dashes = argv.some((some) => some.startsWith(`--${word}`)) ? '--' : '-';
  if (options.includes(word))
    return `--${word} goes behind the command: dossier ${command} --${word}`;
  const nearest = nearestWord(word, options);
  const hint = meant(nearest && `--${nearest}`);
  return `${command === '' ? 'dossier alone' : command} has no option ${dashes}${word}${hint}`;
}

function isTyped(word: string, argv: readonly string[]): boolean {
  return argv.some((some) => some.replace(/^-+/, '').replace(/=.*$/s, '') === word);
}

/** The word with this beginning; undefined when there are several, because any would be a guess. */
function onlyCompletion(beginning: string, words: readonly string[]): string | undefined {
  const [first, ...others] = words.filter((word) => word.startsWith(beginning));
  return others.length === 0 ? first : undefined;
}

function meant(nearest: string | undefined): string {
  return nearest ? `; did you mean ${nearest}?` : '';
}

function wordsIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, word = '']) => word);
}
