import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  parse,
  parseDocument,
  stringify,
  type YAMLMap,
} from 'yaml';
import { defaultCountry } from '../../core/contract/countries.ts';
import { DossierError } from '../../core/errors.ts';
import type { ColumnReading } from '../../core/identify/identifier.ts';
import { identifyValue } from '../../core/identify/identify-row.ts';
import { formatShare, shorten } from '../../core/values/format.ts';
import { isListAddress } from '../../platform/files/local-path.ts';
import {
  type DetectedColumn,
  type DetectedColumns,
  filledCells,
  type Sample,
} from './detect-columns.ts';

type DraftColumn = Omit<DetectedColumn, 'as'> & { readonly as: ColumnReading };

export interface JobDraft {
  readonly name: string;
  readonly inputPath: string;
  /** The corrections that the list has already, without a job file. */
  readonly corrections?: string | undefined;
  readonly form: Readonly<Record<string, string | number>>;
  readonly hasHeader: boolean;
  readonly rowsSeen: number;
  readonly facts: readonly ColumnFacts[];
  readonly columns: Pick<DetectedColumns, 'country'> & {
    readonly identify: readonly DraftColumn[];
  };
  readonly isSure: boolean;
  readonly key: string | undefined;
  /** What services.yaml describes. */
  readonly services?: readonly string[];
}

export function draftJob(draft: JobDraft): string {
  const {
    name,
    inputPath,
    corrections,
    form,
    hasHeader,
    columns,
    isSure,
    key,
    services = [],
  } = draft;
  return [
    '# Drafted by `dossier init` from the columns of the list. Change what you like, then use this',
    '# file with `dossier plan`, which shows what a run costs, and `dossier run`.',
    '',
    `name: ${scalar(name)}`,
    '',
    ...serviceLines(draft),
    '',
    'input:',
    `  path: ${scalar(inputPath)}${isAbsolute(inputPath) || isListAddress(inputPath) ? '' : ' # relative to this file'}`,
    ...(corrections ? [`  corrections: ${scalar(corrections)} # of \`dossier fix\``] : []),
    ...Object.entries(form).map(
      ([key, value]) => `  ${key}: ${typeof value === 'number' ? value : scalar(value)}`,
    ),
    ...(hasHeader ? [] : ['  header: false # the first line is data, not column names']),
    ...(key === undefined
      ? keyHints
      : [`  key: ${scalar(key)} # identifies rows in every run; row_key in the results`]),
    '',
    ...columnLines(draft),
    ...(columns.identify.length === 0 ? [] : [isSure ? sureLine : unsureLine, 'identify:']),
    ...columns.identify.flatMap(({ column, as, share }) => [
      `  - column: ${scalar(column)} # ${as === 'name' ? nameColumn : `${formatShare(share)} of its values are identifiers`}`,
      `    as: ${as}`,
    ]),
    '',
    '# Sent with every call, because each call is for one country.',
    ...countryLines(columns.country?.column),
    '',
    '# Also searches for people in each company found. This may cost more than all company calls.',
    '# people:',
    '#   seniority: [C-Suite, VP] # one search per combination of seniority and department',
    '#   department: [Sales, Marketing]',
    '#   maxPerCompany: 20',
    '',
    // services.yaml has the rate of its services.
    ...(services.length > 0 ? [] : ['limits:', '  rate: 10 # calls a second', '']),
    '# Hard limit on calls per start. The run stops there; run it again to continue.',
    '# budget: {perStart: 1000}',
    '',
    '# How long answers may be reused before they are paid for again.',
    'reuse: {companies: 30d, misses: 7d, people: 30d}',
    '',
    '# A list that has lost more rows since the last result is held before its first call (exit code 4).',
    '# Results can be held, too: {rowsDrop: "<= 20%", matchRateDrop: "<= 10%", failed: "<= 5%"}',
    'expect: {rowsDrop: "<= 20%"}',
    '',
    'output:',
    '  format: [csv] # csv, jsonl, parquet, xlsx',
    '  # excelSafe: true # no cell can run as a formula',
    '  # bom: true # makes Excel read the text as UTF-8',
    '# output can also be a list of destinations, each with its own formats:',
    '#   - path: s3://bucket/leads/{date}',
    `#   - {postgres: "\${WAREHOUSE_URL}", schema: enrichment}`,
    '',
    '# Sends a message when a run ends. The URL is a secret.',
    `# notify: {url: "\${SLACK_WEBHOOK}", on: [failed, expectation]}`,
    '',
    '# The ledger stores every answer that was paid for. With mustExist, a run stops if the ledger is',
    '# missing, instead of paying again; `dossier run --new-ledger` creates the first one.',
    '# ledger: {path: ledger.db, mustExist: true}',
    '',
  ].join('\n');
}

function serviceLines({ services: [first, ...others] = [] }: JobDraft) {
  if (first !== undefined) {
    const [next] = others;
    const both = `With service: [${first}, ${next}], ${next} is asked for companies that ${first} does not find.`;
    return [
      `# services.yaml describes ${[first, ...others].join(', ')}.${next === undefined ? '' : ` ${both}`}`,
      `service: ${first}`,
    ];
  }
  return [
    '# Set DOSSIER_URL and DOSSIER_API_KEY. To try the job free and offline, add `--url embedded`:',
    '# it uses sample data, which has none of your companies.',
    'service:',
    `  url: \${DOSSIER_URL}`,
    '  # price: {company: 0.12, people: 0.02, currency: AUD} # your prices; Dossier then also shows money',
  ];
}

const sureLine = '# Columns are tried in this order, the next one only if no company was found.';
const unsureLine =
  '# NO COLUMN CLEARLY identifies companies. Write the right one after the first `column:` below.';

const keyHints = [
  '  # The row_key is a hash of the identifiers, so it changes when an identifier changes.',
  '  # A unique column is better, or several columns: key: crm_id, or key: [region, number].',
  '  # key: crm_id',
];

const nameColumn = 'the register is asked if nothing else finds the company';

const longestText = 28;
/** Job files have a size limit, so a draft describes only the first columns of a wide list. */
const columnsShown = 200;

function columnLines({ facts, rowsSeen }: Pick<JobDraft, 'facts' | 'rowsSeen'>) {
  const shownFacts = facts.slice(0, columnsShown);
  const names = shownFacts.map(({ column }) => shortened(column));
  const width = Math.max(0, ...names.map((name) => name.length));
  return [
    `# Contents of the columns in ${rowsSeen === 1 ? 'one row' : `${rowsSeen} rows`}: the share of values that are identifiers, and the first values.`,
    ...shownFacts.map(({ share, samples, filled }, index) => {
      const some = samples.map(shortened).join(' | ') || '(empty)';
      const blank = rowsSeen - filled;
      const shown = blank > 0 && filled > 0 ? `${some} (${blank} blank)` : some;
      return `#   ${names[index]?.padEnd(width)} ${formatShare(share).padStart(5)}  ${shown}`;
    }),
    ...(facts.length > columnsShown ? [`#   … and ${facts.length - columnsShown} more`] : []),
  ];
}

/** A line break would end the YAML comment. */
function shortened(text: string) {
  return shorten(text.replace(/[\p{C}\s]+/gu, ' ').trim(), longestText);
}

function countryLines(column: string | undefined) {
  if (column === undefined) return [`country: ${defaultCountry}`];
  return [
    'country:',
    `  column: ${scalar(column)}`,
    `  default: ${defaultCountry} # for rows where the column is blank`,
  ];
}

/** By default, the yaml package breaks quoted texts of 40 characters or more that have a line break. */
const onOneLine = { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY };

/** Doubles dollar signs, because a single one would start a variable. */
function scalar(text: string) {
  const written = text.replaceAll('$', '$$$$');
  const line = stringify(written, { ...onOneLine, blockQuote: false, singleQuote: false });
  // Not `trim`, which would also remove a non-breaking space at the end.
  return line.replace(/\n$/, '');
}

const samplesShown = 3;

type ColumnFacts = ReturnType<typeof describeColumns>[number];

export function describeColumns(header: readonly string[], sample: Sample) {
  return header.map((column, index) => {
    const values = filledCells(sample, index);
    const distinct = [...new Set(values)];
    const identifiers = countGood(values, 'auto');
    return {
      column,
      filled: values.length,
      repeated: values.length - distinct.length,
      identifiers,
      share: identifiers / Math.max(1, values.length),
      samples: distinct.slice(0, samplesShown),
    };
  });
}

export function describeColumn(
  { index, column, as }: Omit<DraftColumn, 'share'>,
  sample: Sample,
): DraftColumn {
  const values = filledCells(sample, index);
  return { index, column, as, share: countGood(values, as) / Math.max(1, values.length) };
}

export function likeliestColumn(facts: readonly ColumnFacts[]): DraftColumn | undefined {
  const most = Math.max(...facts.map(({ identifiers }) => identifiers));
  const index = facts.findIndex(({ identifiers }) => identifiers === most);
  const best = facts[index];
  return best && { index, column: best.column, as: 'auto', share: best.share };
}

function countGood(values: readonly string[], as: ColumnReading) {
  return values.filter((value) => !('reject' in identifyValue(value, as))).length;
}

const listComments = [unsureLine, ...keyHints].map((line) => line.trim());

/** Removes comments that become wrong if the list is read with different options. */
export function withoutFindings(text: string): string {
  return text
    .replace(/^# Contents of the columns in .*\n(?:# {3}.*\n)*/m, '')
    .replace(/ # \d+% of its values are identifiers$/gm, '')
    .split('\n')
    .filter((line) => !listComments.includes(line.trim()))
    .join('\n');
}

/** An undefined `value` removes the key. */
export interface JobChange {
  readonly path: readonly string[];
  readonly value: JobValue | undefined;
}

type JobValue = string | number | readonly JobValue[] | { readonly [key: string]: JobValue };

export function changeJobText(text: string, changes: readonly JobChange[]): string {
  const document = parseDocument(text);
  for (const { path, value } of changes) {
    if (path[0] === 'service' && path.length > 1) requireOwnService(document);
    if (value === undefined) remove(document, path);
    else set(document, path, escaped(value));
  }
  return written(document, text);
}

/** A name would be replaced by a block, and its described service with it. */
function requireOwnService(document: Document) {
  const service = document.get('service');
  if (typeof service !== 'string' && !isSeq(service)) return;
  const message = 'the services of this job are described in services.yaml; change them there';
  throw new DossierError('JOB_INVALID', message);
}

export function changeIdentify(
  text: string,
  wanted: readonly { readonly column: string; readonly as: ColumnReading }[],
): string {
  const document = parseDocument(text);
  const before = document.getIn(['identify']);
  if (wanted.length === 0) {
    remove(document, ['identify']);
    return written(document, text);
  }
  const known = isSeq(before) ? before.items.filter((item) => isMap(item)) : [];
  const items = wanted.map(({ column, as }) => {
    const name = escaped(column);
    const item = known.find((entry) => entry.get('column') === name);
    if (item && item.get('as') !== as) item.set('as', as);
    if (as !== 'name') for (const place of ['state', 'postcode']) item?.delete(place);
    return item ?? (document.createNode({ column: name, as }) as YAMLMap);
  });
  if (isSeq(before)) before.items = items;
  else document.setIn(['identify'], document.createNode(items));
  // The user has chosen a column.
  return written(document, text).replace(`${unsureLine}\n`, `${sureLine}\n`);
}

function set(document: Document, path: readonly string[], value: JobValue) {
  for (let depth = 1; depth < path.length; depth += 1) makeGroup(document, path.slice(0, depth));
  const isPlain = typeof value !== 'object';
  const before = document.getIn(path, true);
  if (isPlain && isScalar(before)) before.value = value;
  else {
    const node = document.createNode(value);
    // `seniority: [C-Suite, Manager]`
    if (isSeq(node)) node.flow = true;
    document.setIn(path, node);
  }
}

/** An empty key must become a map before it can hold values. */
function makeGroup(document: Document, path: readonly string[]) {
  const before = document.getIn(path, true);
  if (!isScalar(before)) return;
  const group = document.createNode({}) as YAMLMap;
  group.flow = false;
  const { commentBefore, comment } = before;
  group.commentBefore = [commentBefore, comment].filter(Boolean).join('\n') || null;
  document.setIn(path, group);
}

function remove(document: Document, path: readonly string[]) {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  const parent = path.slice(0, -1);
  const group = parent.length > 0 ? document.getIn(parent) : undefined;
  if (isMap(group) && group.items.length === 0) document.deleteIn(parent);
}

function written(document: Document, before: string) {
  const text = document.toString({ ...onOneLine, flowCollectionPadding: /[{[] \S/.test(before) });
  // Undoes the indentation that the yaml package gives to comments after a group.
  const comments = new Set(before.split('\n').filter((line) => line.startsWith('#')));
  const lines = text.split('\n').map((line) => (comments.has(line.trim()) ? line.trim() : line));
  const aligned = lines.join('\n');
  return isDeepStrictEqual(parse(aligned), parse(text)) ? aligned : text;
}

function escaped<Value extends JobValue>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll('$', '$$$$'));
}
