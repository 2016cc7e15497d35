import { DossierError } from '../../errors.ts';
import { notLocal } from '../../runtime/files/local-path.ts';

/*
 * yargs silently turns `--port abc` into NaN and `--port` into the default. So values arrive as text
 * and these functions parse them. yargs calls them only for options that are given.
 */

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

const hiddenDash = '\u0000-';

/** Reads the path of a file, or `-` for standard input. */
export function filePath(given: string): string {
  return given === hiddenDash ? '-' : given;
}
