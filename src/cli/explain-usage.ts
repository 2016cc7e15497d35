import { nearestWord } from '../core/runtime/nearest-word.ts';

/**
 * Says what is wrong with a command line and what to type instead. yargs gives its errors as text only. `usages` are
 * all commands with their arguments: `ledger backup <file>`.
 */
export function explainUsage(
  message: string,
  argv: readonly string[],
  usages: readonly string[],
  options: readonly string[],
): string {
  const [first = '', second = ''] = argv.filter((word) => !word.startsWith('-'));
  const names = usages.map((line) => line.replace(/ ?[<[].*$/, ''));
  const isGroup = names.some((name) => name.startsWith(`${first} `));
  const typed = isGroup ? `${first} ${second}`.trim() : first;
  const isNamed = names.includes(typed) || (isGroup && second === '');
  if (typed !== '' && !isNamed) {
    return `there is no command ${typed}${meant(typed, names) || `; there are ${names.join(', ')}`}`;
  }
  if (message.startsWith('Unknown argument')) {
    // yargs names an unknown option twice, as it is typed and in camel case, and no dashes.
    const flag = argv
      .map((word) => word.replace(/=.*$/s, ''))
      .find((word) => /^--?\w/.test(word) && message.includes(word.replace(/^-+/, '')));
    if (flag === undefined)
      return message.replace('Unknown argument', `${typed}: unknown argument`);
    return `${typed || 'dossier'} has no option ${flag}${meant(
      flag,
      options.map((name) => `--${name}`),
    )}`;
  }
  const [, valueless] = /^Not enough arguments following: (.*)$/.exec(message) ?? [];
  if (valueless !== undefined) return `--${valueless} needs a value`;
  if (!message.startsWith('Not enough non-option arguments')) return message;
  const usage = usages[names.indexOf(typed)] ?? `${typed} <action>`;
  return `dossier ${usage}: ${usage.match(/<[^>]*>/g)?.join(' ')} is missing`;
}

function meant(typed: string, names: readonly string[]): string {
  const [begun, ...others] = names.filter((name) => name.startsWith(typed));
  const nearest = nearestWord(typed, names) ?? (others.length === 0 ? begun : undefined);
  return nearest ? `; did you mean ${nearest}?` : '';
}
