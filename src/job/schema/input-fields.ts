import { z } from 'zod';
import { countries, defaultCountry } from '../../core/contract/countries.ts';
import { readings } from '../../core/identify/identifier.ts';
import { notReadable } from '../../core/runtime/files/local-path.ts';
import { defaultKeepRuns, defaultStaleOnFailure } from '../../core/runtime/terms.ts';
import {
  choice,
  duration,
  group,
  isEncoding,
  localPath,
  many,
  matching,
  maxAge,
  oneOrMany,
  percent,
  secret,
  text,
  wholeNumber,
  yesOrNo,
} from './fields.ts';

export const Input = group({
  path: localPath(
    'the path of a file, an address (https://…, s3://bucket/…), or - for standard input',
    notReadable,
  )
    .describe(
      secret(
        'CSV, JSONL, JSON (an array of objects), Parquet or Excel (.xlsx) file, relative to the job file; or its address, `https://…` or `s3://bucket/leads.csv`. `-` is standard input. Gzip and zstd are read as they are. User, password and query of an address are secrets.',
        'LEADS_URL',
      ),
    )
    .meta({ flag: 'Read this list instead, a path or an address; - is standard input' }),
  format: choice(['csv', 'jsonl', 'xlsx', 'parquet'])
    .exactOptional()
    .describe('What the file holds; told from its first bytes or its name when absent.'),
  sheet: text('the name of a sheet')
    .exactOptional()
    .describe('Sheet of an Excel workbook; the first that is not hidden when absent.')
    .meta({ flag: 'Sheet of an Excel workbook (default: the first)' }),
  delimiter: matching(/^(?:[^"\r\n]|tab|\\t)$/u, 'one character, or tab')
    .transform((sign) => (sign.length > 2 || sign === '\\t' ? '\t' : sign))
    .exactOptional()
    .describe('What separates the columns of a CSV file; found out when absent.')
    .meta({ flag: 'What separates CSV columns; \\t is a tab' }),
  encoding: text('an encoding')
    .refine(isEncoding, 'an encoding such as utf-8, utf-16le or windows-1252')
    .exactOptional()
    .describe(
      'How the text is encoded; utf-8 when absent, or windows-1252 where it cannot be UTF-8, which is said. A byte order mark comes first.',
    )
    .meta({ flag: 'Encoding of the text, such as windows-1252' }),
  header: yesOrNo()
    .exactOptional()
    .describe(
      'Whether the first line of a CSV file, or the first row of a sheet, names the columns; told from its cells when absent. Without names they are column_1, column_2 and so on.',
    ),
  headerRow: wholeNumber(1, 10_000)
    .exactOptional()
    .describe(
      'Line of a CSV file, or row of a sheet, that names the columns; what stands above it is skipped. When absent, a title above the names is found and skipped, which is said.',
    )
    .meta({ flag: 'Line or sheet row that names the columns' }),
  key: many(text('the name of a column'), 'names of columns')
    .exactOptional()
    .describe(
      'Column, or columns, that tell one row from another in every list of the job: `row_key` in the results. When absent, a column that looks like a key and is unique, found once and then kept; or a hash of what identifies the row.',
    ),
  corrections: localPath('the path of a file')
    .exactOptional()
    .describe(
      'File in which `dossier fix` keeps corrections, relative to the job file, for a job file whose folder may not be written; beside the job file when absent, as `<job>.fixed.jsonl`.',
    ),
}).refine(({ header, headerRow }) => header !== false || headerRow === undefined, {
  path: ['headerRow'],
  error: 'no headerRow where header says that there is none',
});

export const Identify = group({
  column: text('the name of a column').describe(
    'Column that holds an identifier, as in the file. In JSON and Parquet, a value within an object is named by its path: `properties.domain`.',
  ),
  as: choice(readings)
    .default('auto')
    .describe('What the column holds; `auto` looks at each value by itself.'),
});

export const Country = z.union(
  [
    choice(countries).transform((country) => ({ column: undefined, default: country })),
    group({
      column: text('the name of a column').describe('Column that holds a country code or name.'),
      default: choice(countries)
        .default(defaultCountry)
        .describe('Country of rows where that column is blank.'),
    }),
  ],
  `one of ${countries.join(', ')}, or {column: …, default: …}`,
);

export const People = group({
  seniority: oneOrMany(
    z.union([wholeNumber(1, 7), text()], 'an id from 1 to 7, or a name'),
    'ids or names of seniorities',
  )
    .optional()
    .describe('Seniorities to search for, by id (1 to 7) or name. Any when absent.'),
  department: oneOrMany(
    z.union([wholeNumber(1, 17), text()], 'an id from 1 to 17, or a name'),
    'ids or names of departments',
  )
    .optional()
    .describe('Departments to search for, by id (1 to 17) or name. Any when absent.'),
  position: oneOrMany(text('a position title'), 'position titles')
    .optional()
    .describe('Position titles to search for. Any when absent.'),
  pageSize: wholeNumber(1, 100)
    .prefault(50)
    .describe('People asked for in one call. An empty page ends a search and is a call, too.'),
  maxPerCompany: wholeNumber(1, 1_000_000)
    .prefault(1000)
    .describe(
      'No more people than this are fetched for one company; people_complete says where there may be more.',
    ),
});

export const Reference = group({
  seniority: z
    .record(matching(/^[1-7]$/, 'an id from 1 to 7'), text('a name'), 'names by id')
    .optional()
    .describe('Your names for seniority ids, such as `{3: Executives}`. Others keep theirs.'),
  department: z
    .record(matching(/^([1-9]|1[0-7])$/, 'an id from 1 to 17'), text('a name'), 'names by id')
    .optional()
    .describe('Your names for department ids. Others keep theirs.'),
});

export const Reuse = group({
  companies: maxAge()
    .prefault('30d')
    .describe('Companies found within this time are not paid for again. `0`: never, or `forever`.'),
  misses: maxAge()
    .prefault('7d')
    .describe('Companies not found within this time are not asked for again.'),
  people: maxAge()
    .prefault('30d')
    .describe('People searches answered within this time are not paid for again.'),
  spread: percent('0%', '50%')
    .prefault('20%')
    .describe(
      'Shortens the life of each answer by a random part of this share, so answers of one night expire on different nights; 0% for none.',
    ),
  staleOnFailure: maxAge()
    .prefault(defaultStaleOnFailure)
    .describe(
      'How old an answer may be that a row keeps, marked as stale, where the call for a newer one failed or could not be made; 0 keeps none.',
    ),
});

export const Suppress = many(localPath('the path of a file'), 'paths of files')
  .describe(
    'List, or lists, of domains, ABNs, network pages, company ids and person ids, in any columns and any format of `input`, relative to the job file. Rows and companies with one of them end as `suppressed`: they are never looked up and in no result. Such people are in no result either. Ids that do not look like `c_1042` or `p_1042` need a column named company_id or person_id. E-mail addresses are ignored with a note, because they would name the employer.',
  )
  .meta({ flag: 'List of identifiers that are neither looked up nor shown; may be repeated' });

const keptFor = () => duration('1d', '100y').optional();

export const Retain = group({
  people: keptFor().describe(
    'How long answers of people searches are shown and kept: `1d` to `100y`, such as `180d`. Default: forever.',
  ),
  companies: keptFor().describe(
    'How long found companies are shown and kept: `1d` to `100y`, such as `2y`. Default: forever.',
  ),
});

export const ledgerPath = localPath('the path of a file').meta({
  flag: 'SQLite file that remembers answers',
});

const snapshotAddress = 'the address of an object, such as s3://bucket/leads/ledger.db.zst';

const LedgerKeys = group({
  path: ledgerPath
    .optional()
    .describe(
      'The file, relative to the job file; `output/ledger.db` in the working directory when absent.',
    ),
  keepRuns: wholeNumber(1, 100_000)
    .prefault(defaultKeepRuns)
    .describe(
      'Runs of the job that stay as they were, for `export --run`; the rows of older ones go when a run has finished. Answers stay as long as a job may use them.',
    ),
  mustExist: yesOrNo()
    .prefault(false)
    .describe(
      'Ends a run whose ledger has vanished (74) instead of paying for everything again; with `snapshot`, one that finds neither a ledger nor a snapshot. `dossier run --new-ledger` starts the first.',
    ),
  snapshot: matching(/^s3:\/\/[^/]+\/.*[^/]$/, snapshotAddress)
    .optional()
    .describe(
      'Where the ledger is kept for a machine that loses its disk, such as `s3://bucket/leads/ledger.db.zst`: it is restored before the first call, and stored at intervals and at the end. One process at a time uses it.',
    ),
  every: duration('1s', '24h')
    .prefault('5m')
    .describe(
      'How often a run stores a snapshot while answers come. A lost disk costs the calls since the last one.',
    ),
});

/** A bare path means a ledger with defaults. */
export const Ledger = z.union(
  [ledgerPath.transform((path) => LedgerKeys.parse({ path })), LedgerKeys],
  'the path of a file, or {path: …, keepRuns: …, mustExist: …, snapshot: …, every: …}',
);
