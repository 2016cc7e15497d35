import { nearestWord } from '../core/runtime/nearest-word.ts';

/**
 * Says what is wrong with a command line and what to type instead. yargs gives its errors as text only, so their parts
 * are read from the text. `usages` are all commands with their arguments: `ledger backup <file>`.
 */
export function explainUsage(
  message: string,
  argv: readonly string[],
  usages: readonly string[],
  options: readonly string[],
): string {
  const [first = '', second = ''] = argv.filter((word) => !word.startsWith('-'));
  const names = usages.map((line) => line.replace(/ ?[<[].*$/, ''));
  const inGroup = names.filter((name) => name.startsWith(`${first} `));
  const firsts = [...new Set(names.map((name) => name.replace(/ .*/, '')))];
  if (first !== '' && !firsts.includes(first)) return noSuch(first, firsts);
  const typed = inGroup.length > 0 && second !== '' ? `${first} ${second}` : first;
  if (typed !== first && !names.includes(typed)) {
    return noSuch(
      second,
      inGroup.map((name) => name.replace(/.* /, '')),
      `${first} `,
    );
  }
  const unknown = /^Unknown arguments?: (?<words>.*)$/s.exec(message)?.groups?.words;
  if (unknown !== undefined) return explainUnknown(unknown.split(', '), typed, argv, options);
  const valueless = /^Not enough arguments following: (?<option>.*)$/.exec(message)?.groups?.option;
  if (valueless !== undefined) return `--${valueless} takes a value`;
  const choice = /Argument: (\S+), Given: (.*), Choices: (.*)$/.exec(message);
  if (choice) {
    const [, name = '', given, choices] = choice;
    return `${options.includes(name) ? '--' : ''}${name} takes one of ${choices}, not ${given}`;
  }
  if (!message.startsWith('Not enough non-option arguments')) return message;
  const usage = usages[names.indexOf(typed)] ?? `${typed} <action>`;
  return `dossier ${usage}: ${usage.match(/<[^>]*>/g)?.join(' ')} is missing`;
}

/** A word that is no command, perhaps behind that of a group: `ledger `. */
function noSuch(typed: string, names: readonly string[], group = ''): string {
  const [begun, ...others] = names.filter((name) => name.startsWith(typed));
  const nearest = nearestWord(typed, names) ?? (others.length === 0 ? begun : undefined);
  return `there is no command ${group}${typed}${meant(nearest) || `; there are ${names.join(', ')}`}`;
}

function explainUnknown(
  words: readonly string[],
  command: string,
  argv: readonly string[],
  options: readonly string[],
): string {
  // yargs names each unknown option twice: as it is typed and in camel case.
  const word = words.find((some) => argv.some((typed) => optionIn(typed) === some)) ?? '';
  const typed = argv.find((some) => some.startsWith('-') && some.includes(word));
  if (typed === undefined) {
    return `${command} does not take ${JSON.stringify(word)}: an argument too many`;
  }
  if (options.includes(word)) {
    return `--${word} goes behind the command: dossier ${command} --${word}`;
  }
  const nearest = nearestWord(word, options);
  const dashes = typed.startsWith('--') ? '--' : '-';
  const hint = meant(nearest && `--${nearest}`);
  return `${command === '' ? 'dossier alone' : command} has no option ${dashes}${word}${hint}`;
}

/** `--rate=5 → rate` */
function optionIn(word: string): string {
  return word.replace(/^-+/, '').replace(/=.*$/s, '');
}

function meant(nearest: string | undefined): string {
  return nearest ? `; did you mean ${nearest}?` : '';
}
