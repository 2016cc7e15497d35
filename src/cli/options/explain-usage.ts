import { nearestWord } from '../../runtime/nearest-word.ts';

interface Helps {
  /** Help of the whole program, and of the command that was typed, if it is one. */
  readonly program: string;
  readonly command: string;
}

/** What is wrong with a command line, in the words of the person who typed it. */
export function explainUsage(message: string, argv: readonly string[], helps: Helps): string {
  const commands = wordsIn(helps.program, /^ {2}dossier (\S+)/gm);
  const aliases = wordsIn(helps.program, /\[aliases: ([\w-]+)\]/g);
  const typed = argv.find((word) => !word.startsWith('-')) ?? '';
  if (typed !== '' && ![...commands, ...aliases].includes(typed)) {
    const rest = `; there are ${commands.join(', ')}`;
    return `there is no command ${typed}${meant(nearestWord(typed, commands) ?? begunWord(typed, commands)) || rest}`;
  }
  const options = wordsIn(helps.command, /--([\w-]+)/g);
  const unknown = /^Unknown arguments?: (?<words>.*)$/s.exec(message)?.groups?.words;
  if (unknown !== undefined) return explainUnknown(unknown.split(', '), typed, argv, options);
  const hungry = /^Not enough arguments following: (?<option>.*)$/.exec(message)?.groups?.option;
  if (hungry !== undefined) return `--${hungry} takes a value`;
  const choice = /Argument: (?<name>\S+), Given: (?<given>.*), Choices: (?<choices>.*)$/.exec(
    message,
  );
  if (choice?.groups) {
    const { name, given, choices } = choice.groups;
    const dashes = options.includes(name ?? '') ? '--' : '';
    return `${dashes}${name} takes one of ${choices}, not ${given}`;
  }
  if (!message.startsWith('Not enough non-option arguments')) return message;
  const [needed = ''] = wordsIn(helps.command, /^dossier [\w-]+ ([<[].*)$/gm);
  return `dossier ${typed} ${needed}: ${needed} is missing`;
}

function explainUnknown(
  words: readonly string[],
  command: string,
  argv: readonly string[],
  options: readonly string[],
): string {
  // Each option is named as it was typed and once more in camel case.
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

/** The only one that begins so; where there are several, any would be a guess. */
function begunWord(beginning: string, words: readonly string[]): string | undefined {
  const [first, ...others] = words.filter((word) => word.startsWith(beginning));
  return others.length === 0 ? first : undefined;
}

function meant(nearest: string | undefined): string {
  return nearest ? `; did you mean ${nearest}?` : '';
}

function wordsIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, word = '']) => word);
}
