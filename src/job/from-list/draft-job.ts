import { isAbsolute } from 'node:path';
import { stringify } from 'yaml';
import type { Country } from '../../contract/countries.ts';
import { isReject, type Reading } from '../../identify/identifier.ts';
import { identifyCell } from '../../identify/identify-cell.ts';
import { isListAddress } from '../../runtime/files/local-path.ts';
import {
  type DetectedColumn,
  type DetectedColumns,
  filledCells,
  type Sample,
} from './detect-columns.ts';

export interface JobDraft {
  readonly name: string;
  /** Relative to the job file, or absolute. */
  readonly inputPath: string;
  /** Sheet, encoding, delimiter and header row, as far as flags set them. */
  readonly form: Readonly<Record<string, string | number>>;
  readonly hasHeader: boolean;
  readonly rowsSeen: number;
  readonly facts: readonly ColumnFacts[];
  readonly columns: DetectedColumns;
  /** False when the column to identify by is only the likeliest one. */
  readonly isSure: boolean;
  /** The column that tells rows apart; undefined where none looks like a key. */
  readonly key: string | undefined;
  readonly country: Country;
  readonly hasPeople: boolean;
  /** Path of the job file, quoted for a shell. */
  readonly jobPath: string;
}

/** Writes a job file with comments for the user who completes it. */
export function draftJob(draft: JobDraft): string {
  const { name, inputPath, form, hasHeader, columns, country, hasPeople, jobPath, isSure } = draft;
  return [
    '# Drafted by `dossier init` from what the list holds. Change what you like, then:',
    '#',
    `#   dossier check ${oneLine(jobPath)}`,
    `#   dossier plan ${oneLine(jobPath)}`,
    `#   dossier run ${oneLine(jobPath)}`,
    '',
    `name: ${scalar(name)}`,
    '',
    '# Set DOSSIER_URL and DOSSIER_API_KEY. `--url embedded` tries the job over sample data, free and',
    '# offline, which knows none of your companies.',
    'service:',
    `  url: \${DOSSIER_URL}`,
    '  # price: {company: 0.12, people: 0.02, currency: AUD} # what you pay; then all is told in money, too',
    '',
    'input:',
    `  path: ${scalar(inputPath)}${isAbsolute(inputPath) || isListAddress(inputPath) ? '' : ' # relative to this file'}`,
    ...Object.entries(form).map(
      ([key, value]) => `  ${key}: ${typeof value === 'number' ? value : scalar(value)}`,
    ),
    ...(hasHeader ? [] : ['  header: false # the first line is a row already']),
    ...keyLines(draft.key),
    '',
    ...columnLines(draft),
    isSure ? sureLine : unsureLine,
    'identify:',
    ...columns.identify.flatMap(({ column, as, share }) => [
      `  - column: ${scalar(column)} # ${shareWords(share)}`,
      `    as: ${as}`,
    ]),
    '',
    '# Part of every question: the service answers for one country.',
    ...countryLines(columns.country?.column, country),
    '',
    ...peopleLines(hasPeople),
    '',
    'limits:',
    '  rate: 10 # requests a second',
    '',
    '# Hard, in requests; the run stops there, and running it again goes on.',
    '# budget: {perStart: 1000}',
    '',
    '# How long answers stay good, so that nothing is paid for twice.',
    'reuse: {companies: 30d, misses: 7d, people: 30d}',
    '',
    '# A result that differs is held beside the last good one, until `dossier export --accept`.',
    '# expect: {rowsDrop: "<= 20%", matchRateDrop: "<= 10%", failed: "<= 5%"}',
    '',
    'output:',
    '  format: [csv] # csv, jsonl, parquet, xlsx',
    '  # excelSafe: true # no cell can run as a formula',
    '  # bom: true # Excel then knows that the text is UTF-8',
    '# As a list, output names several places, each in a form of its own: - path: s3://bucket/leads/{date}',
    `# or, for a warehouse, - {postgres: "\${WAREHOUSE_URL}", schema: enrichment}`,
    '',
    '# A message when a run ends; the address is a secret.',
    `# notify: {url: "\${SLACK_WEBHOOK}", on: [failed, expectation]}`,
    '',
    '# Holds every answer that was paid for. With mustExist one that has vanished ends the run, and is not',
    '# paid for again; `dossier run --new-ledger` starts the first one.',
    '# ledger: {path: ledger.db, mustExist: true}',
    '',
  ].join('\n');
}

const sureLine = '# Tried in this order; the next only when the one before finds no company.';
const unsureLine =
  '# NO COLUMN IS SURE to identify companies. Put the right one into the first line below.';

function shareWords(share: number): string {
  return `${percent(share)} of its values are good`;
}

/** A job is the better for a key: a row is known by it in the next list, whatever else changes. */
function keyLines(key: string | undefined): string[] {
  if (key !== undefined) {
    return [`  key: ${scalar(key)} # tells rows apart, from run to run; row_key in the results`];
  }
  return [...keyHints];
}

/** For a list without a column that looks like a key. */
const keyHints = [
  '  # Rows are told apart by a hash of their identifiers, and their row_key changes with these.',
  '  # A column that is unique is better, or several: key: crm_id, or key: [region, number].',
  '  # key: crm_id',
] as const;

const longestText = 28;
/** A job file has a greatest size, and nobody reads a comment of a thousand lines. */
const columnsShown = 200;

/** Every column as a comment, with its share of good values and samples, to choose from. */
function columnLines({ facts, rowsSeen }: Pick<JobDraft, 'facts' | 'rowsSeen'>): string[] {
  const shownFacts = facts.slice(0, columnsShown);
  const names = shownFacts.map(({ column }) => shortened(column));
  const width = Math.max(0, ...names.map((name) => name.length));
  return [
    `# What the columns hold, in ${rowsSeen === 1 ? 'one row' : `${rowsSeen} rows`}: the share of values that are identifiers, and the first of them.`,
    ...shownFacts.map(({ share, samples }, index) => {
      const shown = samples.map(shortened).join(' | ') || '(empty)';
      return `#   ${names[index]?.padEnd(width)} ${percent(share).padStart(5)}  ${shown}`;
    }),
    ...(facts.length > columnsShown ? [`#   … and ${facts.length - columnsShown} more`] : []),
  ];
}

/** One line without control characters: a comment must not end early. */
function shortened(text: string): string {
  const printable = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return printable.length <= longestText ? printable : `${printable.slice(0, longestText - 1)}…`;
}

function countryLines(column: string | undefined, country: Country): string[] {
  if (column === undefined) return [`country: ${scalar(country)}`];
  return [
    'country:',
    `  column: ${scalar(column)}`,
    `  default: ${scalar(country)} # for rows where the column is blank`,
  ];
}

/** Commented out unless wanted: searching people may cost more than all the companies. */
function peopleLines(isWanted: boolean): string[] {
  const lines = [
    'people:',
    '  seniority: [C-Suite, VP] # one search for each combination with the departments',
    '  department: [Sales, Marketing]',
    '  maxPerCompany: 20',
  ];
  const heading = '# People of each company found.';
  return [heading, ...(isWanted ? lines : lines.map((line) => `# ${line}`))];
}

/** Writes any text as one line of YAML. A single dollar sign would begin a variable. */
function scalar(text: string): string {
  const written = text.replaceAll('$', '$$$$');
  const line = stringify(written, { lineWidth: 0, blockQuote: false, singleQuote: false });
  // Only the line feed goes: a name may end with a no-break space, which needs no quotes in YAML.
  return line.replace(/\n$/, '');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** What a column holds, whether it identifies companies or not. */
export interface ColumnFacts {
  readonly column: string;
  /** Rows that have a value there. */
  readonly filled: number;
  /** Share of these values that are an identifier of any kind, 0 to 1. */
  readonly share: number;
  /** The first values that differ. */
  readonly samples: readonly string[];
}

const samplesShown = 3;

export function describeColumns(header: readonly string[], sample: Sample): ColumnFacts[] {
  return header.map((column, index) => {
    const values = filledCells(sample, index);
    const samples = [...new Set(values)].slice(0, samplesShown);
    return { column, filled: values.length, share: goodShare(values, 'auto'), samples };
  });
}

/** A column that a flag names, with the share of its values that are good. */
export function describeColumn(
  { index, column, as }: Omit<DetectedColumn, 'share'>,
  sample: Sample,
): DetectedColumn {
  return { index, column, as, share: goodShare(filledCells(sample, index), as) };
}

/** The column that is worth a try where none is sure: that with the most good values. */
export function likeliestColumn(
  facts: readonly ColumnFacts[],
): (DetectedColumn & { as: 'auto' }) | undefined {
  const good = (index: number) => (facts[index]?.share ?? 0) * (facts[index]?.filled ?? 0);
  const [index] = [...facts.keys()].sort((one, other) => good(other) - good(one));
  const found = index === undefined ? undefined : facts[index];
  return index === undefined || !found
    ? undefined
    : { index, column: found.column, as: 'auto', share: found.share };
}

function goodShare(values: readonly string[], as: Reading): number {
  const good = values.filter((value) => !isReject(identifyCell(value, as)));
  return values.length === 0 ? 0 : good.length / values.length;
}

const listComments = [unsureLine, ...keyHints].map((line) => line.trim());

/** A draft without the comments that say what its list holds, for a list that is read in another way since. */
export function withoutFindings(text: string): string {
  return text
    .replace(/^# What the columns hold, in .*\n(?:# {3}.*\n)*/m, '')
    .replace(/ # \d+% of its values are good$/gm, '')
    .split('\n')
    .filter((line) => !listComments.includes(line.trim()))
    .join('\n');
}
