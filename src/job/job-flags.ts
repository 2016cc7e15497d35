import { z } from 'zod';
import { DossierError } from '../core/errors.ts';
import { type Reading, readings } from '../core/identify/identifier.ts';
import type { ReuseTerms } from '../core/rules/reuse.ts';
import { formatDuration, parseDuration } from '../core/runtime/duration.ts';
import { nearestWord } from '../core/runtime/nearest-word.ts';
import { choicesOf, plainIssues, valueAt } from './file/describe-issue.ts';
import type { Job } from './job-schema.ts';
import { choice, wholeNumber } from './schema/fields.ts';
import { Identify, Input, ledgerPath, Suppress } from './schema/input-fields.ts';
import { Place } from './schema/output-fields.ts';
import { Budget, Limits, MaxSpend, Service, ShareFlag } from './schema/service-fields.ts';

/** What `--refresh` asks again on purpose, though the ledger has an answer that is fresh for the job. */
export type Refresh =
  | { readonly what: 'misses' | 'failed' | 'all' }
  | { readonly what: 'older-than'; readonly ageMs: number };

/** `older-than 7d`, also `older-than=7d`. */
export const Refresh = z
  .string()
  .transform((given, problems): Refresh => {
    if (given === 'misses' || given === 'failed' || given === 'all') return { what: given };
    const [, age = ''] = /^older-than[ =](.*)$/s.exec(given) ?? [];
    const ageMs = parseDuration(age.trim());
    if (ageMs !== undefined) return { what: 'older-than', ageMs };
    problems.addIssue('misses, failed, all, or older-than and a time such as 7d');
    return z.NEVER;
  })
  .meta({
    flag: 'Ask again for what the ledger has: misses, failed, all, or older-than 7d; run it again to resume',
  });

/**
 * The flags that override or complete a job. Most are keys of it, and are checked by their field. The help of each is
 * `meta().flag`.
 */
export const flagFields = {
  input: Input.shape.path,
  sheet: Input.shape.sheet,
  encoding: Input.shape.encoding,
  delimiter: Input.shape.delimiter,
  headerRow: Input.shape.headerRow,
  column: z
    .array(Identify.shape.column)
    .meta({ flag: 'Column that identifies the company; may be repeated, best first' }),
  as: z.array(choice(readings)).meta({
    flag: `What --column holds: ${readings.join(', ')}; once, or once for each (default: auto)`,
  }),
  suppress: Suppress,
  output: Place.shape.path,
  format: Place.shape.format,
  columns: Place.shape.columns,
  order: Place.shape.order,
  outputDelimiter: Place.shape.delimiter,
  bom: Place.shape.bom,
  excelSafe: Place.shape.excelSafe,
  ledger: ledgerPath,
  url: Service.shape.url,
  keyFile: Service.shape.keyFile,
  share: ShareFlag,
  rate: Limits.shape.rate,
  concurrency: Limits.shape.concurrency,
  maxCalls: Budget.shape.perStart,
  maxSpend: MaxSpend,
  limit: wholeNumber(1).meta({
    flag: 'Try the first rows only, this many; they go to <output>/try',
  }),
  refresh: Refresh,
} as const;

type Flag = keyof typeof flagFields;
type Typed<Value> = Value extends boolean
  ? boolean
  : Value extends readonly unknown[]
    ? readonly string[]
    : string;
type ReadValue<Name extends Flag> = z.output<(typeof flagFields)[Name]>;

/** Flags of the command line as typed. `format` and `columns` hold names separated by commas. */
export type JobFlags = { readonly [Name in Flag]?: Typed<ReadValue<Name>> | undefined };

/** Checks flags by their fields and converts them. Absent flags, and what is no flag of a job, are left out. */
export function readFlags<Given extends JobFlags>(flags: Given) {
  const read = Object.entries(flagFields).flatMap(([name, field]) => {
    const given = flags[name as Flag];
    return given === undefined ? [] : [[name, readFlag(name, given, field)]];
  });
  return Object.fromEntries(read) as { readonly [Name in keyof Given & Flag]?: ReadValue<Name> };
}

/** `--column` with `--as`, as the job's `identify`; undefined without them. */
export function readColumns({ column, as }: Pick<JobFlags, 'column' | 'as'>): Job['identify'] {
  if (column === undefined) {
    if (as === undefined) return undefined;
    throw new DossierError('USAGE', '--as says what a column holds; name the column with --column');
  }
  const readAll = readAs(as, column.length);
  return column.map((name, index) => ({ column: name, as: readAll?.[index] ?? 'auto' }));
}

/** What each of so many columns is read as: `--as` is given once for all, or once for each. */
export function readAs(given: JobFlags['as'], columns: number): Reading[] | undefined {
  const { as } = readFlags({ as: given });
  if (as === undefined) return undefined;
  if (as.length === columns) return as;
  const [first = 'auto'] = as;
  if (as.length === 1) return new Array(columns).fill(first);
  throw new DossierError(
    'USAGE',
    `--as is given ${as.length} times and --column ${columns}: give --as once, or once for each column`,
  );
}

/** The flags that say how the list is read, by the keys of `input`. */
export function readInputForm({ sheet, encoding, delimiter, headerRow }: JobFlags) {
  return readFlags({ sheet, encoding, delimiter, headerRow });
}

function readFlag(name: string, typed: JobFlags[Flag], field: z.ZodType): unknown {
  const isList = field === flagFields.format || field === flagFields.columns;
  const given = isList ? [typed].flat().flatMap((part) => String(part).split(',')) : typed;
  const { data, error } = field.safeParse(given);
  if (!error) return data;
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const [issue] = error.issues.flatMap(plainIssues);
  const choices = issue ? choicesOf(issue) : [];
  const found = String(valueAt(given, issue?.path ?? []));
  const meant = nearestWord(found, choices);
  // Only a word of a few choices is repeated: a URL may contain a password.
  const hint = choices.length === 0 ? '' : `, not ${JSON.stringify(found)}`;
  throw new DossierError(
    'USAGE',
    `--${flag}: expected ${issue?.message}${hint}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  );
}

/** As it is typed. */
export function refreshText(refresh: Refresh): string {
  return refresh.what === 'older-than'
    ? `older-than ${formatDuration(refresh.ageMs)}`
    : refresh.what;
}

/** The terms by which a run takes answers from the ledger where some are to be asked again. */
export function refreshedReuse(reuse: ReuseTerms, refresh: Refresh | undefined): ReuseTerms {
  const { companiesMs, missesMs, peopleMs } = reuse;
  switch (refresh?.what) {
    case undefined:
      return reuse;
    case 'misses':
      // Refused and oversized answers live as long as misses do, and are none.
      return { ...reuse, missesMs: 0, refusedMs: missesMs };
    case 'failed':
      return { ...reuse, refusedMs: 0 };
    case 'all':
      return { ...reuse, companiesMs: 0, missesMs: 0, peopleMs: 0 };
    case 'older-than': {
      const capped = (ms: number) => Math.min(ms, refresh.ageMs);
      return {
        ...reuse,
        companiesMs: capped(companiesMs),
        missesMs: capped(missesMs),
        peopleMs: capped(peopleMs),
        // What is younger than was said is not asked for.
        spread: 0,
      };
    }
  }
}
