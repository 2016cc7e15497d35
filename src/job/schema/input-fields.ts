import { z } from 'zod';
import { countries, defaultCountry } from '../../contract/countries.ts';
import { defaultReach } from '../../runtime/files/list-address.ts';
import { isEncoding } from './field-checks.ts';
import {
  byteSize,
  choice,
  duration,
  group,
  listPlace,
  localPath,
  oneOrMany,
  text,
  wholeNumber,
  yesOrNo,
} from './fields.ts';

export const Input = group({
  path: listPlace(
    'the path of a file, an address (https://…, s3://bucket/…), or - for standard input',
  ).describe(
    `CSV, JSONL, JSON (an array of objects), Parquet or Excel (.xlsx) file, relative to the job file; or its address, \`https://…\` or \`s3://bucket/leads.csv\`. \`-\` is standard input. Gzip and zstd are read as they are. User, password and query of an address are secrets: better \`\${LEADS_URL}\` than the address itself.`,
  ),
  format: choice(['csv', 'jsonl', 'xlsx', 'parquet'])
    .exactOptional()
    .describe('What the file holds; told from its first bytes or its name when absent.'),
  sheet: text('the name of a sheet')
    .exactOptional()
    .describe('Sheet of an Excel workbook; the first that is not hidden when absent.'),
  delimiter: z
    .string('one character')
    .regex(/^[^"\r\n]$/u, 'one character; a tab is written "\\t", in double quotes')
    .exactOptional()
    .describe('What separates the columns of a CSV file; found out when absent.'),
  encoding: text('an encoding')
    .refine(isEncoding, 'an encoding such as utf-8, utf-16le or windows-1252')
    .exactOptional()
    .describe(
      'How the text is encoded; utf-8 when absent, or windows-1252 where it cannot be UTF-8, which is said. A byte order mark comes first.',
    ),
  header: yesOrNo()
    .exactOptional()
    .describe(
      'Whether the first line of a CSV file, or the first row of a sheet, names the columns; told from its cells when absent. Without names they are column_1, column_2 and so on.',
    ),
  headerRow: wholeNumber({ min: 1, max: 10_000 })
    .exactOptional()
    .describe(
      'Line of a CSV file, or row of a sheet, that names the columns; what stands above it is skipped. When absent, a title above the names is found and skipped, which is said.',
    ),
  key: oneOrMany(text('the name of a column'), 'names of columns')
    .exactOptional()
    .describe(
      'Column, or columns, that tell one row from another in every list of the job: `row_key` in the results. When absent, a column that looks like a key and is unique, found once and then kept; or a hash of what identifies the row.',
    ),
  maxBytes: byteSize({ min: '1KB', max: '1TB' })
    .default(defaultReach.maxBytes)
    .describe(
      'The most bytes of a list at an address, as they are sent; they need as much room in `TMPDIR`.',
    ),
  timeout: duration({ min: '1s', max: '1h' })
    .default(defaultReach.timeout)
    .describe('How long the other side of an address may send nothing before it is given up.'),
  corrections: localPath('the path of a file')
    .exactOptional()
    .describe(
      'File in which `dossier mend` keeps corrections, relative to the job file, for a job file whose folder may not be written; beside the job file when absent, as `<job>.mended.jsonl`.',
    ),
});

export const identifyAs = ['auto', 'abn', 'fqdn', 'website', 'ln_url', 'ln_slug', 'id'] as const;

export const Identify = group({
  column: text('the name of a column').describe(
    'Column that holds an identifier, as in the file. In JSON and Parquet, a value within an object is named by its path: `properties.domain`.',
  ),
  as: choice(identifyAs)
    .default('auto')
    .describe('What the column holds; `auto` looks at each value by itself.'),
});

export const Country = z.union(
  [
    choice(countries),
    group({
      column: text('the name of a column').describe('Column that holds a country code or name.'),
      default: choice(countries)
        .default(defaultCountry)
        .describe('Country of rows where that column is blank.'),
    }),
  ],
  `one of ${countries.join(', ')}, or {column: …, default: …}`,
);
