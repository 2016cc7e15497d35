import { z } from 'zod';
import { DossierError } from '../core/errors.ts';
import { type ColumnReading, columnReadings } from '../core/identify/identifier.ts';
import type { ReuseTerms } from '../core/rules/reuse.ts';
import { formatDuration, parseDuration } from '../core/values/duration.ts';
import { choicesOf, meantChoice, plainIssues, pointHint, valueAt } from './file/describe-issue.ts';
import type { Job } from './job-schema.ts';
import { choice, wholeNumber } from './schema/fields.ts';
import {
  Identify,
  Input,
  ledgerPath,
  registerPath,
  SkipCancelled,
  Suppress,
} from './schema/input-fields.ts';
import { Destination } from './schema/output-fields.ts';
import { Budget, Limits, MaxSpend, Service, ShareFlag } from './schema/service-fields.ts';

type Refresh =
  | { readonly what: 'misses' | 'failed' | 'all' }
  | { readonly what: 'older-than'; readonly ageMs: number };

const Refresh = z
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
    flag: 'Look up again despite stored answers: misses, failed, all, or older-than 7d; to resume, repeat the command',
  });

/** The help text of each flag is its `meta().flag`. */
export const flagFields = {
  input: Input.shape.path,
  sheet: Input.shape.sheet,
  encoding: Input.shape.encoding,
  delimiter: Input.shape.delimiter,
  headerRow: Input.shape.headerRow,
  column: z
    .array(Identify.shape.column)
    .meta({ flag: 'Column that identifies the company; may be repeated, best first' }),
  as: z.array(choice(columnReadings)).meta({
    flag: `How to read --column: ${columnReadings.join(', ')}; once, or per column (default: auto)`,
  }),
  suppress: Suppress,
  output: Destination.shape.path,
  format: Destination.shape.format,
  columns: Destination.shape.columns,
  order: Destination.shape.order,
  outputDelimiter: Destination.shape.delimiter,
  bom: Destination.shape.bom,
  excelSafe: Destination.shape.excelSafe,
  ledger: ledgerPath,
  register: registerPath,
  skipCancelled: SkipCancelled,
  url: Service.shape.url,
  keyFile: Service.shape.keyFile,
  share: ShareFlag,
  rate: Limits.shape.rate,
  concurrency: Limits.shape.concurrency,
  maxCalls: Budget.shape.perStart,
  maxSpend: MaxSpend,
  limit: wholeNumber(1).meta({
    flag: 'Trial run: read only this many rows from the top; results go to <output>/try',
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

export type JobFlags = { readonly [Name in Flag]?: Typed<ReadValue<Name>> | undefined };

export type ReadFlags = { readonly [Name in Flag]?: ReadValue<Name> };

export function readFlags<Given extends JobFlags>(flags: Given) {
  const read = Object.entries(flagFields).flatMap(([name, field]) => {
    const given = flags[name as Flag];
    return given === undefined ? [] : [[name, readFlag(name, given, field)]];
  });
  return Object.fromEntries(read) as { readonly [Name in keyof Given & Flag]?: ReadValue<Name> };
}

export function identifyFlags({ column, as }: Pick<JobFlags, 'column' | 'as'>): Job['identify'] {
  if (column === undefined) {
    if (as === undefined) return undefined;
    throw new DossierError(
      'USAGE',
      '--as is the kind of identifier in a column; name the column with --column',
    );
  }
  const readAll = readingsOf(as, column.length);
  return column.map((name, index) => ({ column: name, as: readAll?.[index] ?? 'auto' }));
}

export function readingsOf(given: JobFlags['as'], columns: number): ColumnReading[] | undefined {
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
  const meant = meantChoice(found, choices);
  // Repeats only values of a fixed choice, because a URL may contain a password.
  const hint = choices.length === 0 ? '' : `, not ${JSON.stringify(found)}`;
  const next = meant === undefined ? pointHint(found) : `; did you mean ${meant}?`;
  throw new DossierError('USAGE', `--${flag}: expected ${issue?.message}${hint}${next}`);
}

export function refreshText(refresh: Refresh): string {
  return refresh.what === 'older-than'
    ? `older-than ${formatDuration(refresh.ageMs)}`
    : refresh.what;
}

export function refreshedReuse(reuse: ReuseTerms, refresh: Refresh | undefined): ReuseTerms {
  const { companiesMs, missesMs, peopleMs } = reuse;
  switch (refresh?.what) {
    case undefined:
      return reuse;
    case 'misses':
      // Refused and oversized answers usually expire like misses, but are not fetched again here.
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
        // `spread` shortens reuse times, so it would expire some answers before the given age.
        spread: 0,
      };
    }
  }
}
