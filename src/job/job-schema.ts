import { z } from 'zod';
import { countries, defaultCountry } from '../contract/countries.ts';
import { keyVariable } from './read-key.ts';
import { Budget, Price } from './schema/budget-fields.ts';
import { checkJob } from './schema/check-job.ts';
import { Expect } from './schema/expectations.ts';
import { isEncoding, isOutputPath, isServiceUrl } from './schema/field-checks.ts';
import {
  choice,
  duration,
  group,
  listOf,
  localPath,
  maxAge,
  oneOrMany,
  percent,
  text,
  wholeNumber,
  yesOrNo,
} from './schema/fields.ts';
import { Heartbeat, Notify } from './schema/on-call-fields.ts';

const expectedKey = `the name of an environment variable, as in \${${keyVariable}}`;

const Service = group({
  url: text()
    .refine(isServiceUrl, 'embedded, or an http(s) address without user name, password, ? or #')
    .optional()
    .describe(
      'Address of the Company Data Service, or `embedded`: the bundled service over the sample data, free and offline, which is said wherever it answers. DOSSIER_URL comes first.',
    ),
  key: z
    .string(expectedKey)
    .regex(/^\$\{[A-Za-z_]\w*\}$/, `${expectedKey}: a key itself does not belong in a job file`)
    .optional()
    .describe(
      `Which environment variable holds the key; \`\${${keyVariable}}\` when absent. The key itself may not stand here.`,
    ),
  keyFile: localPath('the path of a file')
    .optional()
    .describe('File that holds the key and nothing else, instead of `key`.'),
  price: Price.optional().describe(
    'What the service charges for a request. With it, plans, runs, reports and `dossier spend` tell money, too.',
  ),
});

const Input = group({
  path: localPath('the path of a file, or - for standard input').describe(
    'CSV, JSONL, JSON (an array of objects) or Excel (.xlsx) file, relative to the job file. `-` is standard input. Gzip and zstd are read as they are.',
  ),
  format: choice(['csv', 'jsonl', 'xlsx'])
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
});

export const identifyAs = ['auto', 'abn', 'fqdn', 'website', 'ln_url', 'ln_slug', 'id'] as const;

const Identify = group({
  column: text('the name of a column').describe(
    'Column that holds an identifier, as in the file. In JSON, a value within an object is named by its path: `properties.domain`.',
  ),
  as: choice(identifyAs)
    .default('auto')
    .describe('What the column holds; `auto` looks at each value by itself.'),
});

const Country = z.union(
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

const People = group({
  seniority: oneOrMany(
    z.union([wholeNumber({ min: 1, max: 7 }), text()], 'an id from 1 to 7, or a name'),
    'ids or names of seniorities',
  )
    .optional()
    .describe('Seniorities to search for, by id (1 to 7) or name. Absent: any.'),
  department: oneOrMany(
    z.union([wholeNumber({ min: 1, max: 17 }), text()], 'an id from 1 to 17, or a name'),
    'ids or names of departments',
  )
    .optional()
    .describe('Departments to search for, by id (1 to 17) or name. Absent: any.'),
  position: oneOrMany(text('a position title'), 'position titles')
    .optional()
    .describe('Position titles to search for. Absent: any.'),
  pageSize: wholeNumber({ min: 1, max: 100 })
    .default(50)
    .describe('People asked for in one call. An empty page ends a search and is a call, too.'),
  maxPerCompany: wholeNumber({ min: 1, max: 1_000_000 })
    .default(1000)
    .describe(
      'No more people than this are fetched for one company; people_complete says where there may be more.',
    ),
});

const Reference = group({
  seniority: z
    .record(z.string().regex(/^[1-7]$/, 'an id from 1 to 7'), text('a name'), 'names by id')
    .optional()
    .describe('Your names for seniority ids, such as `{3: Executives}`. Others keep theirs.'),
  department: z
    .record(
      z.string().regex(/^([1-9]|1[0-7])$/, 'an id from 1 to 17'),
      text('a name'),
      'names by id',
    )
    .optional()
    .describe('Your names for department ids. Others keep theirs.'),
});

const expectedRate = 'requests a second, from 0.01 to 5000, or none';

const Limits = group({
  rate: z
    .union(
      [z.number(expectedRate).min(0.01, expectedRate).max(5000, expectedRate), z.literal('none')],
      expectedRate,
    )
    .default(10)
    .describe(
      'Most requests a second, every attempt counted. `none` lifts the limit. The service may lower it: throttles and `RateLimit` headers are heeded.',
    ),
  concurrency: wholeNumber({ min: 1, max: 256 }).default(8).describe('Calls in flight at a time.'),
  timeout: duration({ min: '100ms', max: '1h' })
    .default('30s')
    .describe('Time for the whole of one attempt.'),
  attempts: wholeNumber({ min: 1, max: 20 })
    .default(4)
    .describe('How often one call is tried before its rows count as failed.'),
  maxWait: duration({ min: '0s', max: '7d' })
    .default('15m')
    .describe('Longest wait that the service may ask for before the run stops instead.'),
});

const Reuse = group({
  companies: maxAge()
    .default('30d')
    .describe('Companies found within this time are not paid for again. `0`: never, or `forever`.'),
  misses: maxAge()
    .default('7d')
    .describe('Companies not found within this time are not asked for again.'),
  people: maxAge()
    .default('30d')
    .describe('People searches answered within this time are not paid for again.'),
  spread: percent({ min: 0, max: 50 })
    .default('20%')
    .describe(
      'Answers live up to this share shorter than they may, each by its call, so that those of one night do not all expire on one night; 0% for none.',
    ),
  staleOnFailure: maxAge()
    .default('180d')
    .describe(
      'How old an answer may be that a row keeps, marked as stale, where the call for a newer one failed or could not be made; 0 keeps none.',
    ),
});

const Output = group({
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

const Changes = group({
  include: oneOrMany(text('the name of a column'), 'names of columns')
    .default([])
    .describe(
      'Columns to compare though they move by themselves, such as `company_next_gen_web_traffic_*`: [columns](columns.md) marks them *on request*. A star stands for any text. `input_*` are the columns of the list.',
    ),
});

/** The path of a ledger, also as a flag. */
export const ledgerPath = localPath('the path of a file');

/** How a ledger is kept of which a job says nothing, or only where it is. */
export const defaultLedger = { keepRuns: 30, mustExist: false } as const;

const Ledger = z.union(
  [
    ledgerPath,
    group({
      path: ledgerPath
        .optional()
        .describe(
          'The file, relative to the job file; `output/ledger.db` in the working directory when absent.',
        ),
      keepRuns: wholeNumber({ min: 1, max: 100_000 })
        .default(defaultLedger.keepRuns)
        .describe(
          'Runs of the job that stay as they were, for `export --run`; the rows of older ones go when a run has finished. Answers stay as long as a job may use them.',
        ),
      mustExist: yesOrNo()
        .default(defaultLedger.mustExist)
        .describe(
          'Ends a run whose ledger has vanished (74) instead of paying for everything again. `dossier ledger create` makes the first.',
        ),
    }),
  ],
  'the path of a file, or {path: …, keepRuns: …, mustExist: …}',
);

/** A job file. The root has no `id` in its meta, which would wrap the JSON Schema in a $ref. */
export const Job = group({
  name: text('a name')
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a name of a-z, 0-9 and -, at most 64 long')
    .describe('Names the job in the ledger and its output folder: a-z, 0-9 and -.'),
  service: Service.prefault({}).describe('The service that is asked, and the key to it.'),
  input: Input.describe('The list of companies.'),
  identify: listOf(Identify, 'columns')
    .optional()
    .describe('Columns tried in this order, the next only after a miss. Absent: detected.'),
  country: Country.default(defaultCountry).describe(
    'Country asked about, or the column that tells it. It is part of every call.',
  ),
  people: People.optional().describe(
    'People to search for in each company found, one search for each combination. Absent: none. `{}`: everybody.',
  ),
  reference: Reference.prefault({}).describe('Your own names for seniorities and departments.'),
  onMismatch: choice(['keep', 'reject'])
    .default('keep')
    .describe(
      'What to do with an answer that does not carry the identifier that was asked for: `keep` it, marked mismatch, or `reject` the row.',
    ),
  limits: Limits.prefault({}).describe('How fast, how long and how often.'),
  budget: Budget.prefault({}).describe(
    'Hard limits in requests that may be charged, attempts included; throttled and refused ones are not. A run stops there and can be resumed. Sample data never counts.',
  ),
  reuse: Reuse.prefault({}).describe('How long answers in the ledger stay good.'),
  output: Output.prefault({}).describe('What is written, and where.'),
  expect: Expect.prefault({}).describe(
    'What a good result looks like. Where one is not met the run ends with 4, and its files go to `held-<run>` inside the output folder until `dossier export --accept`. A try with --limit has none.',
  ),
  changes: Changes.prefault({}).describe('What counts as a change from one run to the next.'),
  notify: Notify.optional().describe('Whom to tell how a run ended. Absent: nobody.'),
  heartbeat: Heartbeat.optional(),
  ledger: Ledger.default(defaultLedger).describe(
    'SQLite file that keeps every answer: its path, relative to the job file, or the keys below. `output/ledger.db` in the working directory when absent.',
  ),
}).superRefine(checkJob, { when: () => true });

export type Job = z.output<typeof Job>;
export type JobInput = z.input<typeof Job>;
