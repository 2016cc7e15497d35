import { columnHints, filledCells, type Sample, wordsOf } from './detect-columns.ts';

/**
 * The column that looks like the key of the rows: by its name, and because all of its sampled cells are
 * filled and differ. `used` are the columns that companies are asked for by, which are no keys.
 */
export function detectKey(
  header: readonly string[],
  sample: Sample,
  used: readonly number[],
): string | undefined {
  if (sample.length === 0) return undefined;
  const ranked = header
    .map((column, index) => ({ column, index, rank: rankOf(column) }))
    .filter(({ rank, index }) => rank !== -1 && !used.includes(index))
    // A job names columns, and of two with one name it means the first.
    .filter(({ column, index }) => header.indexOf(column) === index)
    .sort((one, other) => one.rank - other.rank);
  return ranked.find(({ index }) => isUnique(sample, index))?.column;
}

const about =
  'account|company|organi[sz]ation|org|customer|client|lead|deal|partner|supplier|vendor';
const system =
  'crm|hub ?spot|hs object|sales ?force|sfdc|pipe ?drive|zoho|dynamics|airtable|erp|sap|source system';
const code = '(?:id|guid|uuid|key)';
const number = '(?:number|num|no|nr)';

/** Best first. A key of Dossier's own comes first: a rejects file that is mended keeps the keys of its list. */
const names: readonly RegExp[] = [
  /^row key$/,
  new RegExp(
    `^(?:row|record|object|entity|item|unique|primary|external|ext|legacy|internal|${system})? ?${code}$`,
  ),
  new RegExp(
    `^(?:${about}) (?:record )?${code}(?: 18)?$|^(?:record|external|crm) ${code} (?:${about})$`,
  ),
  new RegExp(`^(?:${system}) (?:${about}) ${code}$|^(?:${about}) (?:external|crm) ${code}$`),
  new RegExp(
    `^(?:customer|client|account|member|lead|record|supplier|vendor|debtor) ${number}$|^kundennummer$`,
  ),
  new RegExp(`^(?:contact|person|employee) ${code}$`),
];

/** The place of a header among the names of keys, -1 where it is none. */
function rankOf(header: string): number {
  // Interfaces put the fields of a record into an object of it: properties.hs_object_id.
  const words = wordsOf(header.replace(/^(?:properties|fields|attributes|data)\./i, ''));
  const { namesRegister, network } = columnHints(header);
  return namesRegister || network ? -1 : names.findIndex((name) => name.test(words));
}

function isUnique(sample: Sample, index: number): boolean {
  const cells = filledCells(sample, index);
  return cells.length === sample.length && new Set(cells).size === cells.length;
}
