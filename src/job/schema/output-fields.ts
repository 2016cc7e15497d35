import { z } from 'zod';
import {
  canChoose,
  choosableColumns,
  columnOrders,
  expectedColumn,
} from '../../core/columns/choose-columns.ts';
import { canInclude, includableColumns } from '../../core/columns/compare-records.ts';
import type { Expectation } from '../../core/rules/expectations.ts';
import { isRecord } from '../../core/values/parse-json.ts';
import { postgresAddress, webAddress } from '../read-address.ts';
import {
  addressOrVariable,
  choice,
  columnNames,
  group,
  listOf,
  many,
  matching,
  outputPath,
  readAs,
  secret,
  yesOrNo,
} from './fields.ts';

export const destinationKinds = ['folder', 's3', 'postgres'] as const;
export type DestinationKind = (typeof destinationKinds)[number];

const expectedSchema =
  'the name of a schema: a-z, 0-9 and _, at most 63 characters, not beginning with pg_';

export const Destination = group({
  path: outputPath()
    .optional()
    .describe(
      'Folder for the results, relative to the job file, or `s3://bucket/prefix`. Default: `output/<name>` in the working directory. `{date}` becomes the UTC day of the last start of the run, `{run}` its id, `{job}` the job name.',
    )
    .meta({ flag: 'Folder to write to' }),
  format: many(choice(['csv', 'jsonl', 'parquet', 'xlsx']), 'csv, jsonl, parquet or xlsx')
    .prefault('csv')
    .describe(
      'Formats to write, one or several. `xlsx` is one workbook with the sheets Companies, People and Rejects.',
    )
    .meta({ flag: 'csv, jsonl, parquet or xlsx; may be repeated' }),
  columns: columnNames(canChoose, expectedColumn, choosableColumns)
    .prefault('all')
    .describe(
      'Columns of the companies and people tables, in your order: a preset (`all`, or `lead-list` with about twenty columns for sales), names, or patterns where `*` is any text. `input_*` are the columns of the list. Rejects and changes always have all columns.',
    )
    .meta({
      flag: 'Columns to write: all, lead-list, or names separated by commas; * matches any text',
    }),
  order: choice(columnOrders)
    .exactOptional()
    .describe(
      'Order of the columns in the companies table. `list-first`: the columns of your list come first, under their own names. `result-first`: the columns of your list come last, as `input_…`, or where `columns` names them. Default: `list-first` in xlsx, otherwise `result-first`.',
    )
    .meta({ flag: 'Order of columns: list-first (columns of your list first) or result-first' }),
  delimiter: z
    .preprocess(
      (sign) => (sign === '\\t' || sign === '\t' ? 'tab' : sign),
      z.enum([',', ';', '|', 'tab'], 'a comma, ;, | or tab'),
    )
    .prefault(',')
    .transform((sign) => (sign === 'tab' ? ('\t' as const) : sign))
    .describe('Separator of CSV files. Spreadsheets expect `;` in countries with a decimal comma.')
    .meta({ flag: 'Separator of the CSV files to write: , ; | or tab' }),
  excelSafe: yesOrNo()
    .prefault(false)
    .describe(
      'Writes CSV cells so that a spreadsheet neither runs them (= + - @) nor changes them: `11-50` becomes `="11-50"`.',
    )
    .meta({ flag: 'Write CSV that a spreadsheet opens without running or changing cells' }),
  bom: yesOrNo()
    .prefault(false)
    .describe('Begins CSV files with a byte order mark, so Excel reads them as UTF-8.')
    .meta({ flag: 'Begin CSV files with a byte order mark, for Excel' }),
  whenIncomplete: choice(['hold', 'publish'])
    .default('hold')
    .describe(
      'Where a stopped run (exit 69, 75 or 77) writes its files if the folder has a complete result. `hold`: into `held-<run>` inside the folder. `publish`: over the complete result.',
    ),
  postgres: addressOrVariable(postgresAddress)
    .exactOptional()
    .describe(
      secret(
        'Loads the result into PostgreSQL instead of files: `postgres://user:password@host:5432/database`. Only complete and published results are loaded.',
        'WAREHOUSE_URL',
      ),
    ),
  schema: matching(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, expectedSchema)
    .default('dossier')
    .describe('Schema of the database, created if missing. Several jobs can share a schema.'),
});

const ofFiles = Object.keys(Destination.shape).filter(
  (key) => key !== 'postgres' && key !== 'schema',
);

/** Runs before defaults are filled in, because the defaults add keys that this refuses. */
function refuseUnusedKeys(given: unknown, problems: z.core.$RefinementCtx): unknown {
  if (!isRecord(given)) return given;
  const isDatabase = 'postgres' in given;
  const odd = isDatabase ? ofFiles : ['schema'];
  for (const key of odd.filter((name) => name in given)) {
    const message = isDatabase
      ? `no ${key} beside postgres: make output a list with two destinations`
      : `no ${key} without postgres: only a database has one`;
    problems.addIssue({ code: 'custom', path: [key], message });
  }
  return given;
}

const OneDestination = z.preprocess(refuseUnusedKeys, Destination);

export const Output = z.union(
  [OneDestination, listOf(OneDestination, 'destinations')],
  'keys with values, or a list of destinations',
);

export const Changes = group({
  include: columnNames(
    canInclude,
    'a column of companies or people that can be compared, or a pattern such as company_next_gen_*',
    includableColumns,
  )
    .default([])
    .describe(
      'Columns to compare even though they change often, such as `company_next_gen_web_traffic_*`. In [Columns](columns.md), these have the mark *on request*. `*` is any text. `input_*` are the columns of the list.',
    ),
});

export const Notify = group({
  url: addressOrVariable(webAddress).describe(
    secret(
      'Webhook that gets one JSON message when a run ends. Chat services show its `text`.',
      'SLACK_WEBHOOK',
    ),
  ),
  on: many(choice(['finished', 'failed', 'expectation']), 'finished, failed or expectation')
    .prefault(['finished', 'failed', 'expectation'])
    .describe(
      'Outcomes to report: `finished` is exit code 0 or 3, `expectation` is 4, `failed` is any other.',
    ),
});

export const Heartbeat = addressOrVariable(webAddress).describe(
  'URL of a monitor, called with GET: `<url>/start` when a run starts, `<url>` when it finishes (exit 0 or 3), and `<url>/<exit code>` otherwise. The URL is a secret, like `notify.url`.',
);

/** Allows one direction only, because `failed: ">= 1%"` would hold every good result. */
function bound(
  name: Expectation['name'],
  sign: string,
  units: readonly string[],
  expected: string,
  about: string,
  byDefault?: string,
) {
  const form = new RegExp(`^\\s*${sign}=?\\s*(?:${units.join('|')})\\s*$`);
  const field = readAs(matching(form, expected), expected, (written) => {
    const [, comparison, number, sign = ''] = /([<>]=?)\s*([\d.]+)\s*(%?)/.exec(written) ?? [];
    const limit = Number(number);
    if (!Number.isSafeInteger(Math.ceil(limit)) || (sign && limit > 100)) return undefined;
    const text = `${comparison} ${number}${sign}`;
    return { name, text, comparison, limit, unit: sign ? 'percent' : 'rows' } as Expectation;
  });
  const given = byDefault === undefined ? field.optional() : field.prefault(byDefault);
  return given.describe(about);
}

const rows = '\\d+';
const share = '\\d+(?:\\.\\d+)?\\s*%';

export const Expect = group({
  rows: bound(
    'rows',
    '[<>]',
    [rows],
    'a number of rows with a comparison, in quotes: ">= 300", "> 299" or "<= 5000"',
    'Number of rows of the list, such as `">= 300"`.',
  ),
  matchRate: bound(
    'matchRate',
    '>',
    [share],
    'the smallest share of all rows, in quotes: ">= 60%" or "> 62.5%", at most 100%',
    'Minimum share of rows for which a company was found, such as `">= 60%"`.',
  ),
  matchRateDrop: bound(
    'matchRateDrop',
    '<',
    [share],
    'the largest drop in percentage points, in quotes: "<= 10%" or "< 2.5%", at most 100%',
    'Largest drop in the match rate since the last published result, in percentage points, such as `"<= 10%"`.',
  ),
  rowsDrop: bound(
    'rowsDrop',
    '<',
    [share, rows],
    'the largest share or number of rows, in quotes: "<= 20%", "< 2.5%" or "<= 500"',
    'Largest loss of rows since the last published result, such as `"<= 20%"` or `"<= 500"`.',
  ),
  fillDrop: bound(
    'fillDrop',
    '<',
    [share],
    'the largest share of the values, in quotes: "<= 50%" or "< 20%", at most 100%',
    'Largest loss of values in a field of the companies that were fetched again, compared with the answers they replace. Checked if ten companies or more were fetched again, for fields that half of them had. A value of the wrong type counts as missing. `"<= 100%"` allows any loss.',
    '<= 50%',
  ),
  failed: bound(
    'failed',
    '<',
    [share, rows],
    'the largest share or number of rows, in quotes: "<= 1%", "< 0.5%" or "<= 20"',
    'Maximum rows that may fail after all attempts, such as `"<= 1%"` or `"<= 20"`.',
  ),
});
