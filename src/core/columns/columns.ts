import type { ValueField } from './flatten-answer.ts';

/**
 * Version of all tables together, in manifests, Parquet files and whatever `dossier schema` prints. The
 * second number grows when a column is added, the first when one is renamed, removed, moved, or changes
 * its type or meaning.
 */
export const schemaVersion = '1.0';

/** PostgreSQL cuts longer names off, and then two of them may be the same. */
export const maxNameBytes = 63;

export type ColumnType =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'timestamp'
  | 'list'
  | 'integers'
  | 'json';

/** One column of a table. CSV, JSONL, Parquet and docs/columns.md are made from these. */
export interface Column {
  readonly name: string;
  /** Where the value stands in the answer of the service; empty for a column of Dossier's own. */
  readonly path: readonly string[];
  readonly type: ColumnType;
  readonly description: string;
}

/** A column with the function that gives its cell. */
export interface ValueColumn<Source> extends Column {
  readonly value: (source: Source) => Cell;
}

/** A value of a record: the type of its column, or null. JSON and timestamps are text. */
export type Cell = string | number | boolean | readonly string[] | readonly number[] | null;

/** The cells of one record, in the order of the columns. */
export type FlatRecord = readonly Cell[];

export function ownColumn(name: string, type: ColumnType, description: string): Column {
  return { name, path: [], type, description };
}

/**
 * Objects of the interface under which whole paths are longer than a name may be. All fields of such an
 * object have the short form, so that they stay alike.
 */
const shortForms: ReadonlyMap<string, string> = new Map([
  ['nextGen.reviews_rating.rating', 'next_gen_reviews'],
  [
    'nextGen.web_traffic.marketing_channels_distribution',
    'next_gen_web_traffic_marketing_channels',
  ],
]);

/** `nextGen.web_traffic → company_next_gen_web_traffic` */
export function fieldColumn({ path, type, description }: ValueField, prefix: string): Column {
  const short = shortForms.get(path.slice(0, -1).join('.'));
  const words = short === undefined ? path : [short, ...path.slice(-1)];
  return { name: prefix + words.map(snakeCase).join('_'), path, type, description };
}

/** JSONL and Parquet cannot hold two columns of one name, nor one without a name. */
export function nameEveryColumn(columns: readonly Column[], options: UniqueOptions): Column[] {
  const names = columns.map(({ name }, index) => name || `column_${index + 1}`);
  const unique = makeUnique(names, options);
  return columns.map((column, index) => ({ ...column, name: unique[index] ?? column.name }));
}

/** Where the cell of a column stands in its record. Callers look it up once, not for each record. */
export function positionOf(columns: readonly Column[], name: string): number {
  const position = columns.findIndex((column) => column.name === name);
  if (position === -1) throw new Error(`no column ${name}`);
  return position;
}

/** Names that are one word, though they have a capital within. */
const oneWord = /LinkedIn|YouTube|TikTok|GitHub|HubSpot|WhatsApp/g;

/** `IDs`, `ABNs`: capitals in the plural. */
const pluralCapitals = /\p{Lu}{2,}s(?!\p{Ll})/gu;

/**
 * `nextGen → next_gen`, `HQ Location → hq_location`, `Company IDs → company_ids`,
 * `LinkedIn URL → linkedin_url`, `会社 名 → 会社_名`
 */
export function snakeCase(text: string): string {
  return text
    .normalize('NFKC')
    .replace(oneWord, asOneWord)
    .replace(pluralCapitals, asOneWord)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu}|\p{N})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
}

/**
 * The first of equal names keeps it; the next are `name_2`, `name_3`. Capitals make no difference, as
 * they make none in a warehouse, unless it `tellsCase`. A name of more than `maxBytes` is cut off, its
 * number is not.
 */
export function makeUnique(
  names: readonly string[],
  { taken = [], maxBytes = Number.POSITIVE_INFINITY, tellsCase = false }: UniqueOptions = {},
): string[] {
  const asTold = (name: string) => (tellsCase ? name : name.toLowerCase());
  const used = new Set(taken.map(asTold));
  return names.map((name) => {
    let unique = cutName(name, maxBytes);
    for (let count = 2; used.has(asTold(unique)); count += 1) {
      const number = `_${count}`;
      unique = cutName(name, maxBytes - number.length) + number;
    }
    used.add(asTold(unique));
    return unique;
  });
}

export interface UniqueOptions {
  /** Names that stand elsewhere in the table. */
  readonly taken?: readonly string[];
  readonly maxBytes?: number;
  /** Whether names that differ only in capitals are different. */
  readonly tellsCase?: boolean;
}

function asOneWord(name: string): string {
  return `_${name.toLowerCase()}_`;
}

/** Cuts between characters, not within one, and leaves no `_` at the end. */
function cutName(name: string, maxBytes: number): string {
  // A UTF-16 unit takes three bytes at most.
  const room = new Uint8Array(Math.min(maxBytes, 3 * name.length));
  const { read } = new TextEncoder().encodeInto(name, room);
  return read === name.length ? name : name.slice(0, read).replace(/_+$/, '');
}
