import { DossierError } from '../../errors.ts';

/*
 * yargs alone turns `--port abc` into NaN and `--port` into the default, both without a word; so
 * values arrive as text and are read by these. They are called only for options that were given.
 */

/** Reads a whole number within a range. */
export function wholeNumber(option: string, range: { min: number; max: number }) {
  return (given: unknown): number => {
    const number = Number(given);
    if (!/^\d+$/.test(String(given)) || number < range.min || number > range.max) {
      const found = given === '' ? 'nothing' : JSON.stringify(given);
      throw new DossierError(
        'USAGE',
        `--${option} takes a whole number from ${range.min} to ${range.max}, not ${found}`,
      );
    }
    return number;
  };
}

/** Reads an option that is given at most once and not empty. */
export function singleText(option: string) {
  return (given: unknown): string => {
    if (typeof given !== 'string' || given === '') {
      throw new DossierError('USAGE', `--${option} takes one value`);
    }
    return filePath(given);
  };
}

/** Reads an option that is given at most once and is one of a few words. */
export function singleChoice<Choice extends string>(option: string, choices: readonly Choice[]) {
  return (given: unknown): Choice => {
    const choice = choices.find((word) => word === given);
    if (choice === undefined) {
      throw new DossierError(
        'USAGE',
        `--${option} takes one of ${choices.join(', ')}, not ${JSON.stringify(given)}`,
      );
    }
    return choice;
  };
}

const logFormats = ['text', 'json'] as const;

/** Shared by every command that logs. */
export const logFormat = {
  choices: logFormats,
  default: 'text',
  requiresArg: true,
  coerce: singleChoice('log-format', logFormats),
  describe: 'How log lines look',
} as const;

/** Reads an option that may be given again and again, never empty. */
export function severalTexts(option: string) {
  return (given: unknown): string[] => {
    const texts = [given].flat().map(String);
    if (texts.includes('')) throw new DossierError('USAGE', `--${option} takes a value`);
    return texts;
  };
}

/*
 * yargs drops a bare `-` from positionals without a word. So it travels as a word that nobody can
 * type, and every positional that takes a file turns it back, and every option.
 */
const dash = '\u0000-';

export function hideDashes(argv: readonly string[]): string[] {
  // A shell that asks what fits is told by the word as it was typed.
  if (argv[0] === '--get-yargs-completions') return [...argv];
  return argv.map((argument) => (argument === '-' ? dash : argument));
}

/** Reads what names a file, or `-` for standard input. */
export function filePath(given: string): string {
  return given === dash ? '-' : given;
}

/** The same for a positional that takes several. */
export function filePaths(given: readonly string[]): string[] {
  return given.map(filePath);
}
