import type { z } from 'zod';
import { DossierError } from '../errors.ts';
import { unquoted } from './file/value-at-path.ts';
import { Job } from './job-schema.ts';
import { wholeNumber } from './schema/fields.ts';

/** Flags of the command line that override the job, as typed. */
export interface JobFlags {
  readonly input?: string | undefined;
  readonly sheet?: string | undefined;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly output?: string | undefined;
  readonly ledger?: string | undefined;
  readonly url?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly rate?: string | number | undefined;
  readonly concurrency?: string | number | undefined;
  readonly maxCalls?: string | number | undefined;
  /** Number of rows to read from the start of the list. */
  readonly limit?: string | number | undefined;
  /** One flag or several, each with formats separated by commas. */
  readonly format?: string | readonly string[] | undefined;
}

const { service, input, limits, output, ledger } = Job.shape;
const limitShape = limits.def.innerType.shape;
const serviceShape = service.def.innerType.shape;
const outputShape = output.def.innerType.shape;

/** Checks the flags by the schemas of the job's fields and converts them. */
export function readFlags(flags: JobFlags) {
  return {
    input: read('input', flags.input, input.shape.path),
    output: read('output', flags.output, outputShape.path),
    ledger: read('ledger', flags.ledger, ledger),
    url: read('url', flags.url, serviceShape.url),
    keyFile: read('key-file', flags.keyFile, serviceShape.keyFile),
    rate: read('rate', numberOf(flags.rate), limitShape.rate),
    concurrency: read('concurrency', numberOf(flags.concurrency), limitShape.concurrency),
    maxCalls: read('max-calls', numberOf(flags.maxCalls), limitShape.maxCalls),
    limit: read('limit', numberOf(flags.limit), wholeNumber(countingFromOne)),
    format: read('format', listOfFormats(flags.format), outputShape.format),
  };
}

/** The flags that say how the list is read, by the keys of `input`. Absent flags are left out. */
export function readInputForm(flags: Pick<JobFlags, 'sheet' | 'encoding' | 'delimiter'>) {
  const sheet = read('sheet', flags.sheet, input.shape.sheet);
  const encoding = read('encoding', flags.encoding, input.shape.encoding);
  const delimiter = read('delimiter', tabOf(flags.delimiter), input.shape.delimiter);
  return {
    ...(sheet !== undefined && { sheet }),
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
  };
}

/** A tab is hard to type in a shell, so `\t` and `tab` stand for it. */
function tabOf(delimiter: string | undefined): string | undefined {
  return delimiter === '\\t' || delimiter === 'tab' ? '\t' : delimiter;
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

function listOfFormats(given: JobFlags['format']): string[] | undefined {
  if (given === undefined) return undefined;
  return [given].flat().flatMap((part) => part.split(','));
}
