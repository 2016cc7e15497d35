import { z } from 'zod';
import { DossierError } from '../errors.ts';
import type { Reading } from '../identify/identifier.ts';
import { canChoose, choosableColumns, expectedColumn } from '../records/columns/choose-columns.ts';
import { nearestWord } from '../runtime/nearest-word.ts';
import { unquoted } from './file/describe-issue.ts';
import { Job } from './job-schema.ts';
import { choice, wholeNumber } from './schema/fields.ts';
import { identifyAs, ledgerPath } from './schema/input-fields.ts';
import { Place } from './schema/output-fields.ts';
import { ShareFlag } from './schema/service-fields.ts';

type Typed<Name extends string, Value> = { readonly [name in Name]?: Value | undefined };

/**
 * Flags of the command line that override the job, as typed. `as` says what the columns hold, in their order; one
 * stands for all of them. `format` and `columns` are one flag or several, each with names separated by commas.
 */
export type JobFlags = Typed<
  | 'input'
  | 'sheet'
  | 'encoding'
  | 'delimiter'
  | 'output'
  | 'ledger'
  | 'url'
  | 'keyFile'
  | 'share'
  | 'refresh'
  | 'order'
  | 'outputDelimiter',
  string
> &
  Typed<'headerRow' | 'rate' | 'concurrency' | 'maxCalls' | 'limit', string | number> &
  Typed<'column' | 'as', readonly string[]> &
  Typed<'format' | 'columns', string | readonly string[]> &
  Typed<'bom' | 'excelSafe', boolean>;

const { service, input, limits, budget } = Job.shape;
const limitShape = limits.def.innerType.shape;
const budgetShape = budget.def.innerType.shape;
const serviceShape = service.def.innerType.shape;
const outputShape = Place.shape;

/** Checks the flags by the schemas of the job's fields and converts them. */
export function readFlags(flags: JobFlags) {
  return {
    input: read('input', flags.input, input.shape.path),
    output: read('output', flags.output, outputShape.path),
    ledger: read('ledger', flags.ledger, ledgerPath),
    url: read('url', flags.url, serviceShape.url),
    keyFile: read('key-file', flags.keyFile, serviceShape.keyFile),
    share: read('share', flags.share, ShareFlag),
    rate: read('rate', numberOf(flags.rate), limitShape.rate),
    concurrency: read('concurrency', numberOf(flags.concurrency), limitShape.concurrency),
    maxCalls: read('max-calls', numberOf(flags.maxCalls), budgetShape.perStart),
    limit: read('limit', numberOf(flags.limit), wholeNumber(countingFromOne)),
    format: read('format', splitAtCommas(flags.format), outputShape.format),
    columns: readChosen(splitAtCommas(flags.columns)),
    order: read('order', flags.order, outputShape.order),
    outputDelimiter: read(
      'output-delimiter',
      wordOfTab(flags.outputDelimiter),
      outputShape.delimiter,
    ),
    bom: flags.bom,
    excelSafe: flags.excelSafe,
  };
}

/** `--column` with `--as`, as the job's `identify`; undefined without them. */
export function readColumns({ column, as }: Pick<JobFlags, 'column' | 'as'>): Job['identify'] {
  if (column === undefined) {
    if (as === undefined) return undefined;
    throw new DossierError('USAGE', '--as says what a column holds; name the column with --column');
  }
  const readings = readAs(as, column.length);
  return column.map((name, index) => ({ column: name, as: readings?.[index] ?? 'auto' }));
}

/** What each of so many columns is read as: `--as` is given once for all, or once for each. */
export function readAs(as: JobFlags['as'], columns: number): Reading[] | undefined {
  if (as === undefined) return undefined;
  const readings = z.array(choice(identifyAs)).safeParse(as);
  const isFitting = as.length === 1 || as.length === columns;
  if (readings.success && isFitting) {
    const [first] = readings.data;
    return Array.from({ length: columns }, (_, index) => readings.data[index] ?? first ?? 'auto');
  }
  throw new DossierError(
    'USAGE',
    readings.success
      ? `--as is given ${as.length} times and --column ${columns}: give --as once, or once for each column`
      : `--as: expected one of ${identifyAs.join(', ')}`,
  );
}

/** The flags that say how the list is read, by the keys of `input`. Absent flags are left out. */
export function readInputForm(
  flags: Pick<JobFlags, 'sheet' | 'encoding' | 'delimiter' | 'headerRow'>,
) {
  const sheet = read('sheet', flags.sheet, input.shape.sheet);
  const encoding = read('encoding', flags.encoding, input.shape.encoding);
  const delimiter = read('delimiter', tabOf(flags.delimiter), input.shape.delimiter);
  const headerRow = read('header-row', numberOf(flags.headerRow), input.shape.headerRow);
  return {
    ...(headerRow !== undefined && { headerRow }),
    ...(sheet !== undefined && { sheet }),
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
  };
}

/** A tab is hard to type in a shell, so `\t` and `tab` stand for it. */
function tabOf(delimiter: string | undefined): string | undefined {
  return delimiter === '\\t' || delimiter === 'tab' ? '\t' : delimiter;
}

/** A job names a tab by its word. */
function wordOfTab(delimiter: string | undefined): string | undefined {
  return tabOf(delimiter) === '\t' ? 'tab' : delimiter;
}

const countingFromOne = { min: 1, max: Number.MAX_SAFE_INTEGER };

function read<Field extends z.ZodType>(
  flag: string,
  given: unknown,
  field: Field,
): z.output<Field> | undefined {
  if (given === undefined) return undefined;
  const result = field.safeParse(given);
  if (result.success) return result.data;
  const expected = result.error.issues[0]?.message;
  // The message does not repeat the value: a URL may contain a password.
  throw new DossierError('USAGE', `--${flag}: expected ${expected}`);
}

function numberOf(given: string | number | undefined): unknown {
  return typeof given === 'string' ? (unquoted(given) ?? given) : given;
}

/** The columns that `--columns` names, each of which has to be one. */
function readChosen(names: string[] | undefined): string[] | undefined {
  const unknown = names?.find((name) => !canChoose(name));
  if (unknown === undefined) return names;
  const meant = nearestWord(unknown, choosableColumns);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new DossierError(
    'USAGE',
    `--columns: ${JSON.stringify(unknown)} is not ${expectedColumn}${hint}`,
  );
}

function splitAtCommas(given: string | readonly string[] | undefined): string[] | undefined {
  if (given === undefined) return undefined;
  return [given].flat().flatMap((part) => part.split(','));
}
