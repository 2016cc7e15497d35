import { DossierError } from '../errors.ts';

/**
 * Reads a whole number from an option. yargs alone turns `--port abc` into NaN and `--port` into
 * the default, both without a word.
 */
export function wholeNumber(option: string, range: { min: number; max: number }) {
  return (given: unknown): number | undefined => {
    if (given === undefined) return undefined;
    const text = String(given);
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < range.min || number > range.max) {
      throw new DossierError(
        'USAGE',
        `--${option} takes a whole number from ${range.min} to ${range.max}, not ${JSON.stringify(given)}`,
      );
    }
    return number;
  };
}

/** Reads an option that is given at most once and not empty. */
export function singleText(option: string) {
  return (given: unknown): string | undefined => {
    if (given === undefined) return undefined;
    if (typeof given !== 'string' || given === '') {
      throw new DossierError('USAGE', `--${option} takes one value`);
    }
    return given;
  };
}
