import { z } from 'zod';
import { countries, defaultCountry } from '../../core/contract/countries.ts';
import { listKinds } from '../../core/contract/identifier-kinds.ts';
import { columnReadings } from '../../core/identify/identifier.ts';
import { defaultKeepRuns, defaultStaleOnFailure } from '../../core/values/defaults.ts';
import { notReadable } from '../../platform/files/local-path.ts';
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
  secret,
  spreadShare,
  text,
  wholeNumber,
  yesOrNo,
} from './fields.ts';

export const Input = group({
  path: localPath(
    'the path of a file, a URL (https://…, s3://bucket/…), or - for standard input',
    notReadable,
  )
    .describe(
      secret(
        'CSV, JSONL, JSON (an array of objects, up to 32 MB), Parquet or Excel (.xlsx) file, relative to the job file. Also a URL: `https://…` or `s3://bucket/leads.csv`. `-` is standard input. Gzip and zstd are decompressed. The user, password and query of a URL are kept secret.',
        'LEADS_URL',
      ),
    )
    .meta({ flag: 'Read this list instead: a path or a URL (- is standard input)' }),
  format: choice(['csv', 'jsonl', 'xlsx', 'parquet'])
    .exactOptional()
    .describe('Format of the file. Default: detected from its first bytes or its name.'),
  sheet: text('the name of a sheet')
    .exactOptional()
    .describe('Sheet of an Excel workbook. Default: the first visible one with identifiers.')
    .meta({ flag: 'Sheet of an Excel workbook (default: the first visible one with identifiers)' }),
  delimiter: matching(/^(?:[^"\r\n]|tab|\\t)$/u, 'one character, or tab')
    .transform((sign) => (sign.length > 2 || sign === '\\t' ? '\t' : sign))
    .exactOptional()
    .describe('Separator of the columns of a CSV file. Default: detected.')
    .meta({ flag: 'Separator of CSV columns; \\t is a tab' }),
  encoding: text('an encoding')
    .refine(isEncoding, 'an encoding such as utf-8, utf-16le or windows-1252')
    .exactOptional()
    .describe(
      'Encoding of the text. Default: the byte order mark decides; otherwise utf-8, or windows-1252 with a note if the text is not UTF-8.',
    )
    .meta({ flag: 'Encoding of the text, such as windows-1252' }),
  header: yesOrNo()
    .exactOptional()
    .describe(
      'Whether the first line of a CSV file, or the first row of a sheet, names the columns. Default: detected. Columns without names are called column_1, column_2 and so on.',
    ),
  headerRow: wholeNumber(1, 10_000)
    .exactOptional()
    .describe(
      'Line of a CSV file, or row of a sheet, with the column names. Lines above it are skipped. Default: detected; a note says if a title was skipped.',
    )
    .meta({ flag: 'Line or sheet row with the column names' }),
  key: many(text('the name of a column'), 'names of columns')
    .exactOptional()
    .describe(
      "One or more columns that identify a row in every list of the job: `row_key` in the results. Default: a unique column that looks like a key, chosen in the first run; otherwise a hash of the row's identifiers.",
    ),
  corrections: localPath('the path of a file')
    .exactOptional()
    .describe(
      'File for the corrections of `dossier fix`, relative to the job file. Set it if the folder of the job file is read-only. Default: `<job>.fixed.jsonl` beside the job file.',
    ),
}).refine(({ header, headerRow }) => header !== false || headerRow === undefined, {
  path: ['headerRow'],
  error: 'remove headerRow, because header is false',
});

export const Identify = group({
  column: text('the name of a column').describe(
    'Name of a column with identifiers. In JSON and Parquet, use a path for a value inside an object: `properties.domain`.',
  ),
  as: choice(columnReadings)
    .default('auto')
    .describe(
      'Kind of identifier in the column. `auto` decides for each value. `name` is a company name: the register is asked for its ABN after all other columns missed.',
    ),
  state: text('the name of a column')
    .exactOptional()
    .describe('Column with the state of a named company. Default: a column that is called so.'),
  postcode: text('the name of a column')
    .exactOptional()
    .describe('Column with the postcode of a named company. Default: a column that is called so.'),
}).refine(({ as, state, postcode }) => as === 'name' || (state ?? postcode) === undefined, {
  path: ['as'],
  error: '`name`, because only names have a state and a postcode',
});

export const Names = group({
  accept: choice(['unique', 'suggest'])
    .default('unique')
    .describe(
      'Which names to look up: those that only one company has (`unique`), or none (`suggest`), so that you choose each of them.',
    ),
});

export const registerPath = localPath('the path of a file')
  .describe(
    'Register of company names (`dossier register load`), relative to the job file. Default: the register of the user, which serves all folders.',
  )
  .meta({ flag: 'Register of company names (default: that of the user)' });

export const SkipCancelled = yesOrNo()
  .describe(
    'Whether a row whose ABN is cancelled in the register ends as `abn_cancelled`, without a lookup. Default: false.',
  )
  .meta({ flag: 'Look up no row whose ABN is cancelled in the register' });

export const Country = z.union(
  [
    choice(countries).transform((country) => ({ column: undefined, default: country })),
    group({
      column: text('the name of a column').describe('Column with a country code or name.'),
      default: choice(countries)
        .default(defaultCountry)
        .describe('Country of rows whose cell in this column is blank.'),
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
    .describe('Seniorities to search for, by id (1 to 7) or name. All by default.'),
  department: oneOrMany(
    z.union([wholeNumber(1, 17), text()], 'an id from 1 to 17, or a name'),
    'ids or names of departments',
  )
    .optional()
    .describe('Departments to search for, by id (1 to 17) or name. All by default.'),
  position: oneOrMany(text('a position title'), 'position titles')
    .optional()
    .describe('Position titles to search for. All by default.'),
  pageSize: wholeNumber(1, 100)
    .prefault(50)
    .describe('People per call. The empty page that ends a search also counts as a call.'),
  maxPerCompany: wholeNumber(1, 1_000_000)
    .prefault(1000)
    .describe(
      'Maximum people to fetch for one company. `people_complete` is false if there may be more.',
    ),
});

export const Reference = group({
  seniority: z
    .record(
      matching(/^[1-7]$/, 'an id from 1 to 7'),
      text('a name'),
      'names for ids, such as {3: Executives}',
    )
    .optional()
    .describe(
      'Your names for seniority ids, such as `{3: Executives}`. Other ids keep the default names.',
    ),
  department: z
    .record(
      matching(/^([1-9]|1[0-7])$/, 'an id from 1 to 17'),
      text('a name'),
      'names for ids, such as {4: Growth}',
    )
    .optional()
    .describe('Your names for department ids. Other ids keep the default names.'),
});

export const Reuse = group({
  companies: maxAge()
    .prefault('30d')
    .describe(
      'How long a found company is reused without paying again: a time, `0` (never) or `forever`.',
    ),
  misses: maxAge()
    .prefault('7d')
    .describe('How long a miss is reused. Until then, the identifier is not looked up again.'),
  people: maxAge()
    .prefault('30d')
    .describe('How long an answered people search is reused without paying again.'),
  spread: spreadShare()
    .prefault('20%')
    .describe(
      'Answers expire up to this percentage early, at random, so answers fetched in one night expire on different nights. `0%` turns it off.',
    ),
  staleOnFailure: maxAge()
    .prefault(defaultStaleOnFailure)
    .describe(
      'If a call fails, or misses a known company for the first time, the row keeps its last answer up to this age and is marked as stale. `0` keeps none.',
    ),
});

export const Suppress = many(localPath('the path of a file'), 'paths of files')
  .describe(
    `One or more lists of ${listKinds('and', 's', 'company id', 'person id')}, relative to the job file, in any format of \`input\`. Rows and companies on them end as \`suppressed\`: they are not looked up and not in any result. People on them are not in any result either. Ids that do not look like \`c_1042\` or \`p_1042\` need a column named company_id or person_id. E-mail addresses are ignored with a note, because they would suppress the employer.`,
  )
  .meta({ flag: 'List of identifiers to leave out of lookups and results; may be repeated' });

const keptFor = () => duration('1d', '100y').optional();

export const Retain = group({
  people: keptFor().describe(
    'How long people are shown and stored: `1d` to `100y`, such as `180d`. Default: forever.',
  ),
  companies: keptFor().describe(
    'How long companies are shown and stored: `1d` to `100y`, such as `2y`. Default: forever.',
  ),
});

export const ledgerPath = localPath('the path of a file').meta({
  flag: 'SQLite file that stores all answers',
});

const snapshotAddress = 'the URL of an object, such as s3://bucket/leads/ledger.db.zst';

const LedgerKeys = group({
  path: ledgerPath
    .optional()
    .describe(
      'The file, relative to the job file. Default: the ledger of the user, which serves all folders; with `keepRuns`, `mustExist` or `snapshot`, `output/ledger.db` beside the job file.',
    ),
  keepRuns: wholeNumber(1, 100_000)
    .prefault(defaultKeepRuns)
    .describe(
      'Number of newest runs to keep for `export --run`. When a run finishes, the rows of all earlier runs are removed. Answers stay as long as a job may use them.',
    ),
  mustExist: yesOrNo()
    .prefault(false)
    .describe(
      'Whether a run stops (exit 74) if the ledger file and its snapshot are both missing. Otherwise it would pay for everything again. Start the first run with `dossier run --new-ledger`.',
    ),
  snapshot: matching(/^s3:\/\/[^/]+\/.*[^/]$/, snapshotAddress)
    .optional()
    .describe(
      'URL for copies of the ledger, for machines that lose their disk, such as `s3://bucket/leads/ledger.db.zst`. A run restores the ledger first, and stores it at intervals and at its end. Only one process at a time can use the ledger.',
    ),
  every: duration('1s', '24h')
    .prefault('5m')
    .describe(
      'Time between two snapshots of a run. If the disk is lost, the answers since the last snapshot are lost.',
    ),
});

export const Ledger = z.union(
  [ledgerPath.transform((path) => LedgerKeys.parse({ path })), LedgerKeys],
  'the path of a file, or {path: …, keepRuns: …, mustExist: …, snapshot: …, every: …}',
);
