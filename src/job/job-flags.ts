import type { z } from 'zod';
import { DossierError } from '../errors.ts';
import { wholeNumber } from './fields.ts';
import { Job } from './job-schema.ts';
import { unquoted } from './repair.ts';

/** What the command line may say instead of the job, as it was typed. */
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
  /** Only the first rows. */
  readonly limit?: string | number | undefined;
  /** Given several times, or once with commas. */
  readonly format?: string | readonly string[] | undefined;
}

const { service, input, limits, output, ledger } = Job.shape;
const limitShape = limits.def.innerType.shape;
const serviceShape = service.def.innerType.shape;
const outputShape = output.def.innerType.shape;

/** The flags as the job would hold them. They obey the same rules as its fields. */
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

/** How the list is to be read, in the words of `input`; only what was given. */
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

/** A tab is hard to type. */
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
  // The address may hold a password, so what was given is not repeated.
  throw new DossierError('USAGE', `--${flag}: expected ${expected}`);
}

function numberOf(given: string | number | undefined): unknown {
  return typeof given === 'string' ? (unquoted(given) ?? given) : given;
}

function listOfFormats(given: JobFlags['format']): string[] | undefined {
  if (given === undefined) return undefined;
  return [given].flat().flatMap((part) => part.split(','));
}
