import { isOutputPath } from './field-checks.ts';
import { choice, group, localPath, oneOrMany, text, yesOrNo } from './fields.ts';

export const Output = group({
  path: localPath('the path of a folder')
    .refine(isOutputPath, 'the path of a folder, in which {date} and {run} are filled in')
    .optional()
    .describe(
      'Folder for the results, relative to the job file; `output/<name>` in the working directory when absent. `{date}` becomes the day of the last start of the run (UTC), `{run}` its id.',
    ),
  format: oneOrMany(choice(['csv', 'jsonl', 'parquet']), 'csv, jsonl or parquet')
    .default(['csv'])
    .describe('Formats to write, one or several.'),
  compress: choice(['none', 'gzip', 'zstd'])
    .default('none')
    .describe('Compression of CSV and JSONL files.'),
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
