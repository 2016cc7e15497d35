import { type IdentifierKind, registerKinds } from '../../core/contract/identifier-kinds.ts';
import { cleanCell, isBlank } from '../../core/identify/clean-cell.ts';
import {
  isReject,
  type Reading,
  type Reject,
  type RejectCode,
} from '../../core/identify/identifier.ts';
import { identifyCell } from '../../core/identify/identify-cell.ts';
import { type CellUse, identifyValue, type NameColumns } from '../../core/identify/identify-row.ts';
import { digitsOf } from '../../core/identify/parse-abn.ts';
import { parseCountry } from '../../core/identify/parse-country.ts';

/** The same for every command and the page, so they all detect the same columns. */
export const detectionRows = 200;

export function detectColumns(header: readonly string[], rows: Sample) {
  const sample = rows.slice(0, detectionRows);
  const columns = header.map((column, index) => ({ index, column }));
  function ranked<Found extends Ranked>(
    read: (cells: Cells, hints: ColumnHints) => Found | undefined,
  ) {
    return (
      columns
        .flatMap((place) => {
          const cells = filledCells(sample, place.index);
          const found = read(cells, columnHints(place.column));
          return found ? [{ ...place, ...found, good: found.share * cells.length }] : [];
        })
        // Prefers a full column with a few bad values to a sparse one.
        .sort((one, other) => one.rank - other.rank || other.good - one.good)
        .map(({ rank: _, good: __, ...found }) => found)
    );
  }
  const [country] = ranked(asCountry);
  const identify = ranked(asIdentifier).filter(({ index }) => index !== country?.index);
  const ofCompany = identify.filter(({ column }) => !columnHints(column).isOfOtherCompany);
  return { identify: ofCompany.length > 0 ? ofCompany : identify, country };
}

export type DetectedColumns = ReturnType<typeof detectColumns>;
export type DetectedColumn = DetectedColumns['identify'][number];

export type Sample = readonly (readonly (string | undefined)[])[];

export function filledCells(sample: Sample, index: number): string[] {
  return sample.map((row) => cleanCell(row[index] ?? '')).filter((cell) => !isBlank(cell));
}

type Cells = readonly string[];

interface Ranked {
  readonly share: number;
  readonly rank: number;
}

interface ColumnRules {
  readonly as: IdentifierKind;
  /** 0 is best: an ABN is permanent, but an e-mail address may belong to a different company. */
  readonly rank: number;
  /** Words of a header that names such a column. */
  readonly header: string;
  /** A header with these words names something else. */
  readonly otherHeader?: string;
  /** Share of good values that is enough if the header names the column, and if it does not. */
  readonly hintedShare: number;
  readonly plainShare: number;
  /** A value that is rejected for one of these reasons has this kind too. */
  readonly rejects: readonly RejectCode[];
}

const registerNames = 'abns?|acns?|arbns?';
const socialNames =
  'linkedin|linked in|facebook|twitter|instagram|youtube|tiktok|crunchbase|logo|image|photo';

const networkColumn: ColumnRules = {
  as: 'ln_url',
  rank: 2,
  header: 'linkedin|linked in|ln (?:url|slug)',
  hintedShare: 0.05,
  plainShare: 0.3,
  // Lacks `network_person`, because personal pages do not identify companies.
  rejects: ['network_showcase', 'network_shortlink', 'network_no_company'],
};

/** A column has the first of these kinds that fits. A kind without rules is read as `auto`. */
const columnRules = {
  abn: {
    as: 'abn',
    rank: 0,
    header: `${registerNames}|(?:biz|business|company|registration) (?:no|nr|num|number)`,
    // Larger, because ACNs count as ABNs, and one in ten nine-digit numbers is a valid ACN.
    hintedShare: 0.2,
    plainShare: 0.3,
    rejects: ['precision_lost'],
  },
  ln_slug: networkColumn,
  ln_url: networkColumn,
  fqdn: {
    as: 'fqdn',
    rank: 1,
    header:
      'websites?|web|url|domains?|fqdn|homepage|site|hostname|www|webseiten?|webauftritt|internetseiten?|internetadresse|domänen?|domaines?|dominios?|domini|sito',
    otherHeader: socialNames,
    hintedShare: 0.05,
    plainShare: 0.3,
    rejects: ['platform_page'],
  },
  email: {
    as: 'fqdn',
    rank: 4,
    header: 'e ?mail|emails|mail',
    hintedShare: 0.05,
    plainShare: 0.05,
    rejects: ['freemail'],
  },
  website: null,
  id: null,
} as const satisfies Record<IdentifierKind | 'email', ColumnRules | null>;

const allRules = [...new Set<ColumnRules | null>(Object.values(columnRules))].filter(
  (rules) => rules !== null,
);
const mixedRank = 3;
const otherKindsShare = 0.05;

const lookalikeShare = 0.5;
/** Higher than `lookalikeShare`, because some company names look like domains. */
const nameShare = 0.9;

type RankedColumn = Ranked & { readonly as: Reading };

function asIdentifier(cells: Cells, hints: ColumnHints): RankedColumn | undefined {
  if (cells.length === 0 || hints.isNotIdentifying) return undefined;
  const looks = cells.map((cell) => lookOf(cell, hints));
  const shareOf = (fits: (look: Look) => boolean) => looks.filter(fits).length / cells.length;
  const isConstant = hasOneValue(looks);

  for (const rules of allRules) {
    const share = shareOf((look) => look.rules === rules && look.value !== undefined);
    const lookalikes = shareOf((look) => look.rules === rules);
    const isHinted =
      hints.names.has(rules) && (share >= rules.hintedShare || lookalikes >= lookalikeShare);
    const neededShare = hints.isName ? nameShare : lookalikeShare;
    const isPlain = share >= rules.plainShare && lookalikes >= neededShare && !isConstant;
    if (!isHinted && !isPlain) continue;
    const { as, rank } = rules;
    const own = shareOf((look) => isAccepted(look) && look.rules?.as === as);
    const all = shareOf(isAccepted);
    const reading =
      all - own < otherKindsShare ? { as, share: own } : { as: 'auto' as const, share: all };
    // Uses a column of wrong ABNs, so its rows are rejected with a reason.
    if (reading.share === 0 && !registerKinds.includes(as)) return undefined;
    return { ...reading, rank };
  }
  const slugs = asSlugs(cells, hints);
  if (slugs || isConstant) return slugs;
  const share = shareOf(isAccepted);
  if (share < (hints.isName ? nameShare : lookalikeShare)) return undefined;
  return { as: 'auto', share, rank: mixedRank };
}

/** Slugs look like ordinary words, so the header must name the network. */
function asSlugs(cells: Cells, hints: ColumnHints): RankedColumn | undefined {
  if (!hints.names.has(networkColumn) || hints.isPerson) return undefined;
  const slugs = cells.filter((cell) => !isReject(identifyCell(cell, 'ln_slug')));
  const share = slugs.length / cells.length;
  if (share < lookalikeShare) return undefined;
  return { as: 'ln_slug', share, rank: networkColumn.rank };
}

interface Look {
  readonly rules: ColumnRules | null | undefined;
  readonly value: string | undefined;
}

function lookOf(cell: string, hints: ColumnHints): Look {
  const result = identifyCell(cell, 'auto');
  if (isReject(result)) {
    const { reject } = result;
    const rules = isFailedNumber(cell, reject, hints)
      ? columnRules.abn
      : allRules.find(({ rejects }) => rejects.includes(reject));
    return { rules, value: undefined };
  }
  const { kind, value } = result;
  const rules = columnRules[kind];
  if (rules !== columnRules.fqdn) return { rules, value };
  if (/^[^/]*@/.test(cell)) return { rules: columnRules.email, value };
  const isName = capitalised.test(cell) && !hints.names.has(rules);
  return isName ? { rules: null, value: undefined } : { rules, value };
}

/** If the header names neither ABN nor ACN, nine digits may be a phone number. */
function isFailedNumber(cell: string, reject: RejectCode, hints: ColumnHints) {
  if (reject !== 'abn_checksum' && reject !== 'abn_length') return false;
  if (hints.namesRegister) return true;
  const isNamed = hints.names.has(columnRules.abn);
  return isNamed && reject === 'abn_checksum' && digitsOf(cell).length === 11;
}

/** `Booking.com` is a company name; `booking.com` and `BOOKING.COM` are domains. */
const capitalised = /^(?!Www\.)\p{Lu}\p{Ll}[^/]*$/u;

function isAccepted({ value }: Look) {
  return value !== undefined;
}

/** What the header says is another thing, such as a parent company, is not detected. */
export function mayIdentify(column: string, cells: Cells): boolean {
  const hints = columnHints(column);
  const isOther = hints.isNotIdentifying || hints.isOfOtherCompany;
  return !isOther && !hasOneValue(cells.map((cell) => lookOf(cell, hints)));
}

/** A column with one value, such as the lead source, does not identify companies. */
function hasOneValue(looks: readonly Look[]) {
  const values = looks.filter(isAccepted).map(({ value }) => value);
  return values.length >= 3 && new Set(values).size === 1;
}

function asCountry(cells: Cells, hints: ColumnHints): Ranked | undefined {
  if (cells.length === 0 || hints.isStateOrLocale) return undefined;
  const known = cells.filter((cell) => typeof parseCountry(cell) === 'string').length;
  const share = known / cells.length;
  // A header that says country is enough, even if the service covers none of the countries below.
  const isNamed = hints.country && cells.every((cell) => !/\d/.test(cell));
  if (!isNamed && share < 0.9) return undefined;
  return { share, rank: isNamed ? Number(hints.isPerson || hints.isNotIdentifying) : 2 };
}

/** By its header alone, because any text may be a name. A bare `name` may be a person's. */
export function detectNameColumn(header: readonly string[]): number {
  const company =
    /^(?:the )?(?:company|organi[sz]ation|business|legal|account|client)(?: legal)?(?: name)?$/;
  return findHeader(header, company) ?? findHeader(header, /^name$/) ?? -1;
}

/** The columns that tell companies of one name apart. */
export function detectPlaces(header: readonly string[]): Omit<NameColumns, 'index'> {
  return {
    state: findHeader(header, /^(?:company |business )?state$/),
    postcode: findHeader(
      header,
      /^(?:company |business )?(?:post ?code|zip|zip code|postal code)$/,
    ),
  };
}

function findHeader(header: readonly string[], words: RegExp) {
  const at = header.findIndex((text) => words.test(wordsOf(text)));
  return at === -1 ? undefined : at;
}

type ColumnHints = ReturnType<typeof columnHints>;

function columnHints(header: string) {
  const words = wordsOf(header);
  const says = (choices: string) => new RegExp(`\\b(?:${choices})\\b`).test(words);
  const isCountry = says('country|nation');
  return {
    names: new Set(
      allRules.filter(
        ({ header: names, otherHeader }) => says(names) && !(otherHeader && says(otherHeader)),
      ),
    ),
    namesRegister: says(registerNames),
    country: isCountry && !says('dial|dialling|calling|phone|birth|citizenship'),
    isStateOrLocale:
      !isCountry && says('states?|region|province|languages?|lang|locale|currency|currencies'),
    /** Ignored for e-mail addresses, because a person's work address identifies the company. */
    isPerson: says('person|contact|profile|people|employee'),
    isNotIdentifying: says(
      'personal|private|sources?|referrer|referer|owner|created|crm|record|article|news|files?|filenames?|attachments?|documents?',
    ),
    /** Used only if no column is of the company itself. */
    isOfOtherCompany: says('old|former|previous|parent|partner|competitor|investor'),
    isName:
      !says(`${columnRules.fqdn.header}|${socialNames}`) &&
      says('name|company|account|organisation|organization|business|brand|employer|client'),
  };
}

function wordsOf(header: string): string {
  return header
    .normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

const examplesShown = 3;

export function rejectOf(cell: string, as: CellUse): Reject | undefined {
  const verdict = identifyValue(cell, as);
  return 'reject' in verdict && verdict.reject !== 'blank' ? verdict : undefined;
}

/** Cells of a column that are refused for one reason. */
export interface RejectTally {
  readonly reject: RejectCode;
  readonly message: string;
  readonly rows: number;
  readonly examples: readonly string[];
}

export function tallyColumn(
  sample: Sample,
  index: number,
  as: CellUse,
): { good: number; rejects: RejectTally[] } {
  const rejects = new Map<string, { reject: RejectCode; rows: number; examples: string[] }>();
  let good = 0;
  for (const row of sample) {
    const cell = row[index] ?? '';
    const reject = rejectOf(cell, as);
    if (!reject) {
      if (!isBlank(cleanCell(cell))) good += 1;
      continue;
    }
    const { message } = reject;
    const tally = rejects.get(message) ?? { reject: reject.reject, rows: 0, examples: [] };
    tally.rows += 1;
    if (tally.examples.length < examplesShown && !tally.examples.includes(cell)) {
      tally.examples.push(cell);
    }
    rejects.set(message, tally);
  }
  const tallies = [...rejects].map(([message, tally]) => ({ message, ...tally }));
  return { good, rejects: tallies.sort((one, other) => other.rows - one.rows) };
}

export function detectKey(
  header: readonly string[],
  sample: Sample,
  used: readonly number[],
): string | undefined {
  if (sample.length === 0) return undefined;
  const ranked = header
    .map((column, index) => ({ column, index, rank: rankOf(column) }))
    .filter(({ rank, index }) => rank !== -1 && !used.includes(index))
    // A job refers to columns by name, so only the first of two equal names is usable.
    .filter(({ column, index }) => header.indexOf(column) === index)
    .sort((one, other) => one.rank - other.rank);
  const named = ranked.find(({ index }) => isUnique(sample, index));
  if (named) return named.column;
  return header.find(
    (column, index) =>
      !used.includes(index) && header.indexOf(column) === index && areCodes(sample, index),
  );
}

const fewestCodes = 3;

/** `OPP-1001`, `OPP-1002`: the same letters before a number that is never the same. */
function areCodes(sample: Sample, index: number) {
  const letters = filledCells(sample, index).map(
    (cell) => /^([a-z]{1,8})[-_#]?\d+$/i.exec(cell)?.[1],
  );
  return (
    sample.length >= fewestCodes &&
    letters[0] !== undefined &&
    new Set(letters).size === 1 &&
    isUnique(sample, index)
  );
}

/** Best first. A header with any other word is not a key column. */
const keyWords = [
  'id guid uuid key kundennummer row record object entity item unique primary external ext legacy internal 18 ' +
    'crm hubspot hub spot hs salesforce sales force sfdc pipedrive pipe drive zoho dynamics airtable erp sap ' +
    'company organisation organization org deal partner',
  'account customer client lead supplier vendor member debtor',
  'number num no nr',
  'contact person employee',
].map((words) => words.split(' '));

function rankOf(header: string) {
  // APIs nest fields: `properties.hs_object_id`.
  const words = wordsOf(header.replace(/^(?:properties|fields|attributes|data)\./i, ''));
  const ranks = words.split(' ').map((word) => keyWords.findIndex((known) => known.includes(word)));
  const isNumber = ranks.includes(1) && ranks.includes(2);
  const isKey = isNumber || /\b(?:id|guid|uuid|key|kundennummer)\b/.test(words);
  if (!isKey || ranks.includes(-1)) return -1;
  // The column `row_key`, which Dossier writes, ranks first. So if a user corrects a rejects file
  // and runs it as a list, its rows keep their keys.
  return words === 'row key' ? 0 : 1 + Math.max(...ranks);
}

function isUnique(sample: Sample, index: number) {
  const cells = filledCells(sample, index);
  return cells.length === sample.length && new Set(cells).size === cells.length;
}
