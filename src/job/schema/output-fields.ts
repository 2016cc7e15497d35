import { z } from 'zod';
import { columnOrders } from '../../records/columns/column-order.ts';
import { isOutputPath } from './field-checks.ts';
import { choice, group, localPath, oneOrMany, text, yesOrNo } from './fields.ts';

export const Output = group({
  path: localPath('the path of a folder')
    .refine(isOutputPath, 'the path of a folder, in which {date} and {run} are filled in')
    .optional()
    .describe(
      'Folder for the results, relative to the job file; `output/<name>` in the working directory when absent. `{date}` becomes the day of the last start of the run (UTC), `{run}` its id.',
    ),
  format: oneOrMany(choice(['csv', 'jsonl', 'parquet', 'xlsx']), 'csv, jsonl, parquet or xlsx')
    .default(['csv'])
    .describe(
      'Formats to write, one or several. `xlsx` is one workbook with the sheets Companies, People and Rejects.',
    ),
  columns: oneOrMany(text('the name of a column'), 'names of columns')
    .default('all')
    .describe(
      'Columns of companies and people, in every format: a preset (`all`, or `lead-list`, some twenty that sales people ask for), names, or patterns in which a star stands for any text, in the order that you give. `input_*` are the columns of the list. Rejects and changes keep theirs.',
    ),
  order: choice(columnOrders)
    .exactOptional()
    .describe(
      "Order of the columns of companies: `list-first` puts the list's own before the others, under their own names; `result-first` puts them last, as `input_…`, or where `columns` has them. When absent, `list-first` in xlsx and `result-first` elsewhere.",
    ),
  compress: choice(['none', 'gzip', 'zstd'])
    .default('none')
    .describe('Compression of CSV and JSONL files.'),
  delimiter: z
    .enum([',', ';', '|', 'tab'], 'a comma, ;, | or tab')
    .default(',')
    .describe(
      'What separates the columns of CSV files. A spreadsheet opens `;` by itself where a comma is the decimal point.',
    ),
  excelSafe: yesOrNo()
    .default(false)
    .describe('Keeps spreadsheets from running CSV cells that begin with = + - @ as formulas.'),
  bom: yesOrNo()
    .default(false)
    .describe('Begins CSV files with a byte order mark, by which Excel knows UTF-8.'),
  whenIncomplete: choice(['hold', 'publish'])
    .default('hold')
    .describe(
      'Where the files of a run go that was stopped (exit 69, 75 or 77) while a complete result stands in their place: `hold` puts them into `held-<run>` inside the folder, `publish` replaces it.',
    ),
});

export const Changes = group({
  include: oneOrMany(text('the name of a column'), 'names of columns')
    .default([])
    .describe(
      'Columns to compare though they move by themselves, such as `company_next_gen_web_traffic_*`: [columns](columns.md) marks them *on request*. A star stands for any text. `input_*` are the columns of the list.',
    ),
});
