import { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import { parseDuration } from '../../core/values/duration.ts';
import { meantChoice } from '../../job/file/describe-issue.ts';
import { flagFields, type JobFlags } from '../../job/job-flags.ts';
import { notLocal, shownPath } from '../../platform/files/local-path.ts';

/** yargs turns `--port abc` into NaN and `--port` into the default, so `read` checks the text. */
export interface Option<Value> {
  readonly describe: string;
  /** Without `read` the option is a switch. */
  readonly read?: (given: unknown, name: string) => Value;
  readonly fallback?: Value;
  readonly choices?: readonly string[];
  readonly alias?: string;
  readonly isList?: boolean;
  /** May stand without a value. */
  readonly isBare?: boolean;
}

export type Values<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends Option<infer Value> ? Value : never;
} & { readonly json: boolean };

export const usage = (message: string, remedy?: string) =>
  new DossierError('USAGE', message, { remedy });

export const flag = (describe: string, fallback = false): Option<boolean> => ({
  describe,
  fallback,
});

export const or = <Value>(fallback: NoInfer<Value>, given: Option<Value | undefined>) =>
  ({ ...given, fallback }) as Option<Value>;

export const text = (describe: string) => option(describe, oneText);

export const argument = (describe: string, { read } = text('')) =>
  ({ describe, read }) as Option<string>;

export const texts = (describe: string) =>
  option(describe, (given, name) => {
    const all = [given].flat().map(String);
    if (all.includes('')) throw usage(`--${name} needs a value`);
    return all;
  });

export const path = (describe: string) =>
  option(describe, (given, name) => {
    const found = oneText(given, name);
    const problem = notLocal(found);
    if (problem !== undefined) throw usage(`${shownPath(found)}: ${problem}`);
    return found;
  });

export const wholeNumber = (describe: string, [min, max]: readonly [number, number]) =>
  option(describe, (given, name) => {
    const number = Number(given);
    if (/^\d+$/.test(String(given)) && number >= min && number <= max) return number;
    throw refused(name, `a whole number from ${min} to ${max}`, given);
  });

export const choice = <const Word extends string>(describe: string, choices: readonly Word[]) => ({
  ...option(describe, (given, name) => wordOf(choices, given, name)),
  choices,
});

export const severalChoices = <Word extends string>(describe: string, choices: readonly Word[]) =>
  option(describe, (given, name) => [given].flat().map((word) => wordOf(choices, word, name)));

export const duration = (describe: string) =>
  option(describe, (given, name) => {
    const ms = parseDuration(oneText(given, name));
    if (ms !== undefined) return ms;
    throw refused(name, 'a time such as 12h, 7d or 4w', given);
  });

export const runNumber = (describe: string) =>
  option(describe, (given, name) => {
    const [, digits] = /^r?([1-9]\d{0,14})$/i.exec(String(given)) ?? [];
    if (digits !== undefined) return Number(digits);
    throw refused(name, 'a run such as r7', given);
  });

export const logFormat = or('text', choice('Format of log lines', ['text', 'json']));

export const logLevel = or(
  'warn',
  choice('Lowest level of log lines to show', ['debug', 'info', 'warn', 'error']),
);

export const accept: Option<readonly string[] | undefined> = {
  describe:
    'Run the held list that has this hash, or any held list (`any`), or with a clock that is ahead (`clock`); without a value, ask',
  read(given) {
    const words = [given].flat().map((word) => String(word).toLowerCase());
    const wrong = words.find((word) => !/^(?:|any|clock|[\da-f]{6,8})$/.test(word));
    if (wrong === undefined) return words;
    throw usage(`--accept needs the hash of a held list, any or clock, not ${wrong}`);
  },
  isBare: true,
};

export const jobArgument = argument(
  'Job file (.yaml), or a list (CSV, JSON, JSONL, Parquet, Excel): path, https:// or s3://',
);

export const ranJobArgument = argument('Job file (.yaml), or the list that was run');

export const yes = flag('Start without asking, whatever the run may cost');

export const adopt = flag('The job file has moved: continue its runs in the ledger of the user');

export const newLedger = flag(
  'Create the ledger, once, for a job with ledger.mustExist; a run fails if it exists',
);

export function jobFlags<Name extends keyof JobFlags>(...names: readonly Name[]) {
  const options = names.map((name) => {
    const field: z.ZodType = flagFields[name];
    const describe = String(field.meta()?.flag);
    if (takes(field, 'boolean')) return [name, { describe }];
    return [name, takes(field, 'array') ? texts(describe) : text(describe)];
  });
  return Object.fromEntries(options) as { readonly [name in Name]: Option<JobFlags[name]> };
}

function takes(field: z.ZodType, type: 'boolean' | 'array'): boolean {
  if (field instanceof z.ZodOptional || field instanceof z.ZodPrefault) {
    return takes(field.unwrap() as z.ZodType, type);
  }
  if (field instanceof z.ZodPipe) {
    return [field.in, field.out].some((one) => takes(one as z.ZodType, type));
  }
  if (field instanceof z.ZodUnion)
    return field.options.some((one) => takes(one as z.ZodType, type));
  return field.def.type === type;
}

export const listFlags = jobFlags('sheet', 'delimiter', 'encoding', 'headerRow', 'column', 'as');

export const formFlags = jobFlags(
  'format',
  'columns',
  'order',
  'outputDelimiter',
  'bom',
  'excelSafe',
);

export const allFlags = {
  ...jobFlags('input'),
  ...listFlags,
  ...formFlags,
  ...jobFlags(
    'suppress',
    'output',
    'ledger',
    'register',
    'skipCancelled',
    'url',
    'keyFile',
    'rate',
    'concurrency',
    'maxCalls',
    'limit',
  ),
};

function option<Value>(
  describe: string,
  read: (given: unknown, name: string) => Value,
): Option<Value | undefined> {
  return { describe, read };
}

function oneText(given: unknown, name: string) {
  if (typeof given === 'string' && given !== '') return given;
  throw usage(`--${name} needs one value`);
}

function wordOf<Word extends string>(words: readonly Word[], given: unknown, name: string): Word {
  const word = words.find((known) => known === given);
  if (word !== undefined) return word;
  const meant = meantChoice(String(given), words);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw usage(`--${name} needs one of ${words.join(', ')}, not ${JSON.stringify(given)}${hint}`);
}

function refused(name: string, expected: string, given: unknown) {
  return usage(`--${name} needs ${expected}, not ${JSON.stringify(given)}`);
}
