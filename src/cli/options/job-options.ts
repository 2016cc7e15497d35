import type { Argv } from 'yargs';
import { readings } from '../../identify/identifier.ts';
import { columnOrders } from '../../records/columns/column-order.ts';
import {
  filePath,
  severalChoices,
  severalTexts,
  singleChoice,
  singleText,
} from './option-values.ts';

/** The flags that override settings of a job, as yargs parses them. */
export interface JobArguments extends OutputFormArguments {
  input: string | undefined;
  sheet: string | undefined;
  encoding: string | undefined;
  delimiter: string | undefined;
  'header-row': string | undefined;
  column: string[] | undefined;
  as: string[] | undefined;
  output: string | undefined;
  ledger: string | undefined;
  url: string | undefined;
  'key-file': string | undefined;
  rate: string | undefined;
  concurrency: string | undefined;
  'max-calls': string | undefined;
  limit: string | undefined;
}

/** The flags that say what the written files look like. */
export interface OutputFormArguments {
  format: string[] | undefined;
  columns: string[] | undefined;
  order: string | undefined;
  'output-delimiter': string | undefined;
  bom: boolean | undefined;
  'excel-safe': boolean | undefined;
}

/** The option of `run` and `plan`. */
export interface RefreshArguments {
  refresh: string | undefined;
}

/** An option that takes one value. */
const once = (option: string, describe: string) =>
  ({ requiresArg: true, coerce: singleText(option), describe }) as const;

/** The option of the commands that call the service, or look at who does. */
export interface ShareArguments {
  share: string | undefined;
}

export const shareOption = once(
  'share',
  'Redis through which machines share rate and answers (redis://…, rediss://…)',
);

/** Asks again what the ledger has an answer to. */
export const refreshOption = once(
  'refresh',
  'Ask again for what the ledger has: misses, failed, all, or older-than 7d; run it again to resume',
);

/** The job that `run`, `plan` and `check` take. */
export const jobPositional = {
  type: 'string',
  demandOption: true,
  coerce: filePath,
  describe:
    'Job file (.yaml), or a CSV, JSON, JSONL, Parquet or Excel list (https://, s3:// too), whose columns are detected',
} as const;

/** Adds the flags for reading a list whose bytes and name do not say how. */
export function withInputForm<Before>(args: Argv<Before>) {
  return args
    .option('sheet', once('sheet', 'Sheet of an Excel workbook (default: the first)'))
    .option('delimiter', once('delimiter', 'What separates CSV columns; \\t is a tab'))
    .option('encoding', once('encoding', 'Encoding of the text, such as windows-1252'))
    .option('header-row', once('header-row', 'Line or sheet row that names the columns'));
}

/** Adds the flags that say which columns identify the companies. */
export function withColumns<Before>(args: Argv<Before>) {
  return args
    .option('column', {
      requiresArg: true,
      coerce: severalTexts('column'),
      describe: 'Column that identifies the company; may be repeated, best first',
    })
    .option('as', {
      requiresArg: true,
      coerce: severalChoices('as', readings),
      describe: `What --column holds: ${readings.join(', ')}; once, or once for each (default: auto)`,
    });
}

/** Adds the flags that override a job. A flag wins over the environment, that over the job file. */
export function withJobOptions<Before>(args: Argv<Before>) {
  const input = once('input', 'Read this list instead, a path or an address; - is standard input');
  return withOutputForm(withColumns(withInputForm(args.option('input', input))))
    .option('output', once('output', 'Folder to write to'))
    .option('ledger', once('ledger', 'SQLite file that remembers answers'))
    .option('url', once('url', 'Address of the service, or embedded for the sample data'))
    .option('key-file', once('key-file', 'File that holds the key'))
    .option('rate', once('rate', 'Requests a second, or none'))
    .option('concurrency', once('concurrency', 'Calls under way at once'))
    .option(
      'max-calls',
      once('max-calls', 'Send at most this many requests that may be charged; run again to go on'),
    )
    .option('limit', once('limit', 'Try the first rows only, this many; they go to <output>/try'));
}

/** Adds the flags that say what the written files look like. */
function withOutputForm<Before>(args: Argv<Before>) {
  return args
    .option('format', {
      requiresArg: true,
      coerce: severalTexts('format'),
      describe: 'csv, jsonl, parquet or xlsx; may be repeated',
    })
    .option('columns', {
      requiresArg: true,
      coerce: severalTexts('columns'),
      describe: 'Columns to write: all, lead-list, or names with commas; * is any text',
    })
    .option('order', {
      requiresArg: true,
      choices: columnOrders,
      coerce: singleChoice('order', columnOrders),
      describe: "Order of columns: the list's own first, or the result's",
    })
    .option(
      'output-delimiter',
      once('output-delimiter', 'What separates columns of written CSV: , ; | or tab'),
    )
    .option('bom', { type: 'boolean', describe: 'Begin written CSV with a byte order mark' })
    .option('excel-safe', {
      type: 'boolean',
      describe: 'Write CSV that a spreadsheet neither runs nor changes',
    });
}
