import { z } from 'zod';
import {
  canChoose,
  choosableColumns,
  columnOrders,
  expectedColumn,
} from '../../core/columns/choose-columns.ts';
import { canInclude, includableColumns } from '../../core/columns/compare-records.ts';
import type { Expectation } from '../../core/rules/expectations.ts';
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

const expectedSchema =
  'the name of a schema: a-z, 0-9 and _, at most 63 long, not beginning with pg_';

/** All keys of a destination. `checkDestination` refuses wrong combinations. */
export const Destination = group({
  path: outputPath()
    .optional()
    .describe(
      'Folder for the results, relative to the job file, or `s3://bucket/prefix`; `output/<name>` in the working directory when absent. `{date}` becomes the day of the last start of the run (UTC), `{run}` its id, `{job}` the name of the job.',
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
      'Columns of companies and people, in every format: a preset (`all`, or `lead-list`, some twenty that sales people ask for), names, or patterns in which a star stands for any text, in the order that you give. `input_*` are the columns of the list. Rejects and changes keep theirs.',
    )
    .meta({ flag: 'Columns to write: all, lead-list, or names with commas; * is any text' }),
  order: choice(columnOrders)
    .exactOptional()
    .describe(
      "Order of the columns of companies: `list-first` puts the list's own before the others, under their own names; `result-first` puts them last, as `input_…`, or where `columns` has them. When absent, `list-first` in xlsx and `result-first` elsewhere.",
    )
    .meta({ flag: 'Order of columns: list-first (those of the list come first) or result-first' }),
  delimiter: z
    .preprocess(
      (sign) => (sign === '\\t' || sign === '\t' ? 'tab' : sign),
      z.enum([',', ';', '|', 'tab'], 'a comma, ;, | or tab'),
    )
    .prefault(',')
    .transform((sign) => (sign === 'tab' ? ('\t' as const) : sign))
    .describe(
      'What separates the columns of CSV files. A spreadsheet opens `;` by itself where a comma is the decimal point.',
    )
    .meta({ flag: 'What separates columns of written CSV: , ; | or tab' }),
  excelSafe: yesOrNo()
    .prefault(false)
    .describe('Keeps spreadsheets from running CSV cells that begin with = + - @ as formulas.')
    .meta({ flag: 'Write CSV that a spreadsheet neither runs nor changes' }),
  bom: yesOrNo()
    .prefault(false)
    .describe('Begins CSV files with a byte order mark, by which Excel knows UTF-8.')
    .meta({ flag: 'Begin written CSV with a byte order mark' }),
  whenIncomplete: choice(['hold', 'publish'])
    .default('hold')
    .describe(
      'Where the files of a run go that was stopped (exit 69, 75 or 77) while a complete result stands in their place: `hold` puts them into `held-<run>` inside the folder, `publish` replaces it.',
    ),
  postgres: addressOrVariable(postgresAddress)
    .exactOptional()
    .describe(
      secret(
        'Loads the result into PostgreSQL, in place of files: `postgres://user:password@host:5432/database`. Only a result that is complete and published is loaded.',
        'WAREHOUSE_URL',
      ),
    ),
  schema: matching(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, expectedSchema)
    .default('dossier')
    .describe(
      'Schema of the database, which is made where it is missing. Several jobs may share one.',
    ),
});

const ofFiles = Object.keys(Destination.shape).filter(
  (key) => key !== 'postgres' && key !== 'schema',
);

/** Refuses keys without effect. Runs before defaults are filled in. */
function checkDestination(given: unknown, problems: z.core.$RefinementCtx): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const isDatabase = 'postgres' in given;
  const odd = isDatabase ? ofFiles : ['schema'];
  for (const key of odd.filter((name) => name in given)) {
    const message = isDatabase
      ? `no ${key} beside postgres, which is a place of its own: list both places`
      : `no ${key} without postgres, as only a database has one`;
    problems.addIssue({ code: 'custom', path: [key], message });
  }
  return given;
}

const OneDestination = z.preprocess(checkDestination, Destination);

export const Output = z.union(
  [OneDestination, listOf(OneDestination, 'places')],
  'keys with values, or a list of places',
);

export const Changes = group({
  include: columnNames(
    canInclude,
    'a column of companies or people that can be compared, or a pattern such as company_next_gen_*',
    includableColumns,
  )
    .default([])
    .describe(
      'Columns to compare though they move by themselves, such as `company_next_gen_web_traffic_*`: [columns](columns.md) marks them *on request*. A star stands for any text. `input_*` are the columns of the list.',
    ),
});

export const Notify = group({
  url: addressOrVariable(webAddress).describe(
    secret(
      'Address that one JSON message is posted to when a run ends, with a `text` that chat webhooks show.',
      'SLACK_WEBHOOK',
    ),
  ),
  on: many(choice(['finished', 'failed', 'expectation']), 'finished, failed or expectation')
    .prefault(['finished', 'failed', 'expectation'])
    .describe(
      'Which ends are reported: `finished` is exit code 0 and 3, `expectation` 4, `failed` every other.',
    ),
});

export const Heartbeat = addressOrVariable(webAddress).describe(
  'Address of a monitor, asked (GET) with `/start` behind it when a run has taken its job, as it is when it finished (0 and 3), with `/<exit code>` otherwise. A secret, as `notify.url` is.',
);

/**
 * Each bound has one direction: `failed: ">= 1%"` would hold every good result. A bare `60` is
 * refused: it could be a share or a number of rows.
 */
function bound(name: Expectation['name'], form: RegExp, expected: string, about: string) {
  return readAs(matching(form, expected), expected, (written) => {
    const [, comparison, number, sign = ''] = /([<>]=?)\s*([\d.]+)\s*(%?)/.exec(written) ?? [];
    const limit = Number(number);
    if (!Number.isSafeInteger(Math.ceil(limit)) || (sign && limit > 100)) return undefined;
    const text = `${comparison} ${number}${sign}`;
    const unit = sign ? 'percent' : 'rows';
    return { name, text, comparison, limit, unit } as Expectation;
  })
    .optional()
    .describe(about);
}

const mostShareOrRows = /^\s*<=?\s*(?:\d+(?:\.\d+)?\s*%|\d+)\s*$/;

export const Expect = group({
  rows: bound(
    'rows',
    /^\s*[<>]=?\s*\d+\s*$/,
    'a number of rows with a comparison, in quotes: ">= 300", "> 299" or "<= 5000"',
    'How many rows the list has, such as `">= 300"`.',
  ),
  matchRate: bound(
    'matchRate',
    /^\s*>=?\s*\d+(?:\.\d+)?\s*%\s*$/,
    'the least share of all rows, in quotes: ">= 60%" or "> 62.5%", at most 100%',
    'Share of all rows that have a company, such as `">= 60%"`.',
  ),
  matchRateDrop: bound(
    'matchRateDrop',
    /^\s*<=?\s*\d+(?:\.\d+)?\s*%\s*$/,
    'the largest fall in points, in quotes: "<= 10%" or "< 2.5%", at most 100%',
    'By how many points the match rate may fall below that of the last published result, such as `"<= 10%"`.',
  ),
  rowsDrop: bound(
    'rowsDrop',
    mostShareOrRows,
    'the largest share or number of rows, in quotes: "<= 20%", "< 2.5%" or "<= 500"',
    'How many rows fewer than in the last published result there may be, such as `"<= 20%"` or `"<= 500"`.',
  ),
  failed: bound(
    'failed',
    mostShareOrRows,
    'the largest share or number of rows, in quotes: "<= 1%", "< 0.5%" or "<= 20"',
    'How many rows may fail after all attempts, such as `"<= 1%"` or `"<= 20"`.',
  ),
});
