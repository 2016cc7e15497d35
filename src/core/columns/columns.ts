import type { ValueField } from './flatten-answer.ts';

/** Added column: raise the second number. Any other change: raise the first. */
export const schemaVersion = '1.3';

/** PostgreSQL truncates longer names, and two truncated names may collide. */
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

export interface Column {
  readonly name: string;
  /** In the service's answer; empty for Dossier's own columns. */
  readonly path: readonly string[];
  readonly type: ColumnType;
  readonly description: string;
}

export interface ValueColumn<Source> extends Column {
  readonly value: (source: Source) => Cell;
}

/** JSON and timestamps are text. */
export type Cell = string | number | boolean | readonly string[] | readonly number[] | null;

export type FlatRecord = readonly Cell[];

export function ownColumn(name: string, type: ColumnType, description: string): Column {
  return { name, path: [], type, description };
}

/** With their full paths, these columns would exceed `maxNameBytes`. */
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

/** JSONL and Parquet allow no duplicate or empty column names. */
export function nameEveryColumn(columns: readonly Column[], options: UniqueOptions): Column[] {
  const names = columns.map(({ name }, index) => name || `column_${index + 1}`);
  const unique = makeUnique(names, options);
  return columns.map((column, index) => ({ ...column, name: unique[index] ?? column.name }));
}

/** `'row_key status', 'match' → ['row_key', 'status', 'match']` */
export function namesIn(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(' '));
}

export function positionOf(columns: readonly Column[], name: string): number {
  const position = columns.findIndex((column) => column.name === name);
  if (position === -1) throw new Error(`no column ${name}`);
  return position;
}

const oneWord = /LinkedIn|YouTube|TikTok|GitHub|HubSpot|WhatsApp/g;

const pluralCapitals = /\p{Lu}{2,}s(?!\p{Ll})/gu;

/** `nextGen → next_gen`, `Company IDs → company_ids`, `LinkedIn URL → linkedin_url` */
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

/** Repeated names become `name_2`, `name_3`. */
export function makeUnique(
  names: readonly string[],
  { taken = [], maxBytes = Number.POSITIVE_INFINITY, isCaseSensitive = false }: UniqueOptions = {},
): string[] {
  const comparable = (name: string) => (isCaseSensitive ? name : name.toLowerCase());
  const used = new Set(taken.map(comparable));
  return names.map((name) => {
    let unique = cutName(name, maxBytes);
    for (let count = 2; used.has(comparable(unique)); count += 1) {
      const number = `_${count}`;
      unique = cutName(name, maxBytes - number.length) + number;
    }
    used.add(comparable(unique));
    return unique;
  });
}

export interface UniqueOptions {
  readonly taken?: readonly string[];
  readonly maxBytes?: number;
  readonly isCaseSensitive?: boolean;
}

function asOneWord(name: string) {
  return `_${name.toLowerCase()}_`;
}

function cutName(name: string, maxBytes: number) {
  const room = new Uint8Array(Math.min(maxBytes, 3 * name.length));
  const { read } = new TextEncoder().encodeInto(name, room);
  return read === name.length ? name : name.slice(0, read).replace(/_+$/, '');
}
const companyHeader =
  /^(?:(?:company|account|business|organi[sz]ation|legal|trading|entity|customer|client)(?:[ _-]?name)?|name)$/i;
/** The same in German, French, Spanish, Italian, Portuguese and Dutch. */
const foreignHeader =
  /^(?:firm(?:a|en)|unternehmen|gesellschaft|kunden?|entreprise|soci[eé]t[eéà]|raison sociale|client[ei]?|empresa|compañ[ií]a|raz[óo]n social|raz[ãa]o social|azienda|impresa|ragione sociale|bedrijf|klant)(?:s?[ _-]?na(?:me|am))?$/i;
/** A first name or user name is not that of a company. */
const otherName = /^(?!.*(?:first|last|middle|given|family|sur|nick|user|contact|person)).*name/i;
const nameHeaders = [companyHeader, foreignHeader, otherName];

/** Index of the column by which people recognise a row; undefined if no header names one. */
export function nameColumn(headers: readonly string[]): number | undefined {
  const at = nameHeaders.map((header) => headers.findIndex((text) => header.test(text.trim())));
  return at.find((index) => index !== -1);
}
