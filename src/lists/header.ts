import { kindWords } from '../core/contract/identifier-kinds.ts';
import { isReject } from '../core/identify/identifier.ts';
import { identifyCell } from '../core/identify/identify-cell.ts';

/** `name, name, "" → name, name_2, column_3` */
export function nameColumns(header: readonly (string | undefined)[]): string[] {
  const wanted = header.map((cell) => (cell ?? '').trim());
  const taken = new Set<string>();
  const reserved = new Set(wanted);
  return wanted.map((cell, index) => {
    const isFree = cell !== '' && !taken.has(cell);
    const name = isFree ? cell : inventName(cell, index);
    taken.add(name);
    return name;
  });

  function inventName(cell: string, index: number) {
    const stem = cell === '' ? 'column' : cell;
    let number = cell === '' ? index + 1 : 2;
    while (taken.has(`${stem}_${number}`) || reserved.has(`${stem}_${number}`)) number += 1;
    return `${stem}_${number}`;
  }
}

const kinds = Object.values(kindWords);
const wordsOfKinds = kinds.map(({ headerWords }) => headerWords).join(' ');
const nameWords = words(`${wordsOfKinds} address company country name organisation organization
  phone postcode suburb`);
/** Alone, these words may be data, so a column name also needs one of `nameWords`. */
const helpingWords = words(`business city code contact department description employees first head
  hq industry last lead link location mail mobile network number page person profile registered
  revenue row seniority site size state status street title trading type web zip`);

const dataPatterns: readonly RegExp[] = [
  /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i,
  /^https?:\/\/\S+$/i,
  // `org.legalName` names a column: a camel-case ending is not a top-level domain.
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+(?:\p{L}\p{Ll}+|\p{Lu}{2,}|\p{Lo}{2,}|xn--[a-z0-9-]+)(?:[:/?#]\S*)?$/u,
];
const registerLengths = kinds.flatMap<number>(({ digits }) => digits);

/** A list without a header must not lose its first row. */
export function looksLikeHeader(cells: readonly (string | undefined)[]): boolean {
  const { names, data } = countHeaderCells(cells);
  return names >= data;
}

function countHeaderCells(cells: readonly (string | undefined)[]) {
  const texts = cells.map((cell) => (cell ?? '').trim());
  const names = texts.filter(isColumnName).length;
  return { names, data: texts.filter((text) => !isColumnName(text) && isData(text)).length };
}

/** True for `Company Name` and `company.id`, but not for `Lead` or `name.com`. */
function isColumnName(text: string) {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return (
    found.some((word) => nameWords.has(word)) &&
    found.every((word) => nameWords.has(word) || helpingWords.has(word))
  );
}

function isData(text: string) {
  // Spreadsheets export ="51824753556" to keep a number as text.
  const bare = text.replace(/^="(.*)"$/, '$1');
  const compact = bare.replaceAll(/[\s-]/g, '');
  return (
    dataPatterns.some((pattern) => pattern.test(bare)) ||
    (/^\d+$/.test(compact) && registerLengths.includes(compact.length))
  );
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

type Cells = readonly (string | undefined)[];

const mostTitleRows = 20;

/** `Leads of March` above `Name,Website` is a title; `website` above `acme.com` is not. */
export function countTitleRows(rows: readonly Cells[]): number {
  const headerAt = rows.findIndex((row, index) => isHeaderOrData(row, rows[index + 1]));
  const header = rows[headerAt];
  if (headerAt <= 0 || headerAt > mostTitleRows || !header) return 0;
  const titles = rows.slice(0, headerAt);
  if (titles.some((row) => row.some(isIdentifier))) return 0;
  const start = header.findIndex(isFilled);
  const isInFront = titles.every((row) => row.findIndex(isFilled) <= start);
  return isInFront || namesColumns(header) ? headerAt : 0;
}

function isHeaderOrData(row: Cells, next: Cells | undefined) {
  const filled = row.filter(isFilled).length;
  if (filled !== 1) return filled > 1;
  const isName = countHeaderCells(row).names === 1;
  return isName && !(next && next.filter(isFilled).length > 1 && namesColumns(next));
}

function namesColumns(row: Cells) {
  const { names, data } = countHeaderCells(row);
  return names > data;
}

function isFilled(cell: string | undefined) {
  return (cell ?? '').trim() !== '';
}

function isIdentifier(cell: string | undefined) {
  return isFilled(cell) && !isReject(identifyCell(cell ?? '', 'auto'));
}
