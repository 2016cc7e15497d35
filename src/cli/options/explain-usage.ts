import type { CommandModule } from 'yargs';
import { nearestWord } from '../../runtime/nearest-word.ts';

type Commands = readonly Pick<CommandModule, 'command' | 'aliases'>[];

interface Program {
  readonly commands: Commands;
  /** Commands that have commands of their own, by name. */
  readonly groups?: Readonly<Record<string, Commands>>;
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
  { commands, groups = {}, helpOf }: Program,
): Promise<string> {
  const [first = '', second = ''] = argv.filter((word) => !word.startsWith('-'));
  const known = commands.map(wordsOf);
  const command = known.find(({ words }) => words.includes(first));
  if (first !== '' && !command) return explainCommand(first, known);
  const group = groups[first]?.map(wordsOf);
  const inGroup = group?.find(({ name }) => name === second);
  if (group && second !== '' && !inGroup) return explainCommand(second, group, `${first} `);
  const found = inGroup ?? command;
  const typed = inGroup ? `${first} ${second}` : first;
  // yargs has no documented way to ask for the options of a command, but its help lists them.
  const options = wordsIn(await helpOf(typed.split(' ').filter(Boolean)), /--([\w-]+)/g);
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
  const missing = needed.match(/<[^>]*>/g)?.join(' ') ?? needed;
  return `dossier ${typed} ${needed}: ${missing} is missing`;
}

/** `backup <file>` → its name, the words that call it, and what it needs. */
function wordsOf({ command, aliases = [] }: Commands[number]) {
  const [name = '', ...positionals] = String(command).split(' ');
  return { name, words: [name, ...aliases], needed: positionals.join(' ') };
}

/** A word that is no command, perhaps behind that of a group: `ledger `. */
function explainCommand(typed: string, known: readonly { name: string }[], group = ''): string {
  const names = known.map(({ name }) => name);
  const nearest = nearestWord(typed, names) ?? onlyCompletion(typed, names);
  return `there is no command ${group}${typed}${meant(nearest) || `; there are ${names.join(', ')}`}`;
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
