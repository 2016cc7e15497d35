import { DossierError } from '../../errors.ts';
import { notLocal, shownPath } from '../../runtime/files/local-path.ts';

/*
 * yargs silently turns `--port abc` into NaN and `--port` into the default. So values arrive as text
 * and these functions parse them. yargs calls them only for options that are given.
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

/** Reads an option that may be given once and must not be empty. */
export function singleText(option: string) {
  return (given: unknown): string => {
    if (typeof given !== 'string' || given === '') {
      throw new DossierError('USAGE', `--${option} takes one value`);
    }
    return filePath(given);
  };
}

/** Reads an option that takes one path of this machine. */
export function singlePath(option: string) {
  const read = singleText(option);
  return (given: unknown): string => {
    const path = read(given);
    const trouble = notLocal(path);
    if (trouble !== undefined) throw new DossierError('USAGE', `--${option}: ${trouble}`);
    return path;
  };
}

/** Reads an option that may be given once and takes one of a few words. */
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

/** The option of all commands that log. */
export const logFormat = {
  choices: logFormats,
  default: 'text',
  requiresArg: true,
  coerce: singleChoice('log-format', logFormats),
  describe: 'How log lines look',
} as const;

const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/** The option of the commands that run a job. */
export const logLevel = {
  choices: logLevels,
  default: 'warn',
  requiresArg: true,
  coerce: singleChoice('log-level', logLevels),
  describe: 'Least important log lines to show',
} as const;

/** The option of the commands that serve a page. */
export const pagePort = {
  default: 0,
  requiresArg: true,
  coerce: wholeNumber('port', { min: 0, max: 65_535 }),
  describe: 'Port on this machine; 0 takes a free one',
} as const;

/** The store that `load` fills and `serve` opens when none is named. */
export const defaultStorePath = 'output/store.db';

/** Reads an option that may be repeated and must not be empty. */
export function severalTexts(option: string) {
  return (given: unknown): string[] => {
    const texts = [given].flat().map(String);
    if (texts.includes('')) throw new DossierError('USAGE', `--${option} takes a value`);
    return texts;
  };
}

/** Reads an option that may be repeated and takes one of a few words each time. */
export function severalChoices<Choice extends string>(option: string, choices: readonly Choice[]) {
  const read = singleChoice(option, choices);
  return (given: unknown): Choice[] => [given].flat().map(read);
}

/*
 * yargs silently drops a bare `-` from positionals. So `-` is replaced before parsing by a text that
 * no shell can pass, and the readers of files and options turn it back.
 */
const hiddenDash = '\u0000-';

export function hideDashes(argv: readonly string[]): string[] {
  // Completion compares words as they are typed, so it needs the dash itself.
  if (argv[0] === '--get-yargs-completions') return [...argv];
  return argv.map((argument) => (argument === '-' ? hiddenDash : argument));
}

/** Reads the path of a file, or `-` for standard input. */
export function filePath(given: string): string {
  return given === hiddenDash ? '-' : given;
}

/** Reads the path of a file that is written on this machine. */
export function localFile(given: string): string {
  const path = filePath(given);
  const trouble = notLocal(path);
  if (trouble !== undefined) throw new DossierError('USAGE', `${shownPath(path)}: ${trouble}`);
  return path;
}

/** Reads the paths of a positional that takes several files. */
export function filePaths(given: readonly string[]): string[] {
  return given.map(filePath);
}

/** Reads the name of a run: `r7`, or `7`. */
export function runNumber(option: string) {
  return (given: unknown): number => {
    const [, digits] = /^r?([1-9]\d{0,14})$/i.exec(String(given)) ?? [];
    if (digits === undefined) {
      const found = JSON.stringify(given);
      throw new DossierError('USAGE', `--${option} takes a run such as r7, not ${found}`);
    }
    return Number(digits);
  };
}
