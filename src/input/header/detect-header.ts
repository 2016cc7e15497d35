/** Words that name a column on their own. */
const nameWords =
  words(`abn acn address company country domain email fqdn id identifier linkedin name
  organisation organization phone postcode slug suburb url website`);
/** Words that name a column beside one of `nameWords`; on their own they may be data. */
const helpingWords = words(`business city code contact department description employees first head
  hq industry last lead link location mail mobile network number page person profile registered
  revenue row seniority site size state status street title trading type web zip`);

/** E-mail addresses, URLs and domains: data, and almost never the name of a column. */
const dataPatterns: readonly RegExp[] = [
  /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i,
  /^https?:\/\/\S+$/i,
  // The top-level domain may not be in camel case: `org.legalName` names a column.
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+(?:\p{L}\p{Ll}+|\p{Lu}{2,}|\p{Lo}{2,}|xn--[a-z0-9-]+)(?:[:/?#]\S*)?$/u,
];
const registerNumber = /^(?:\d{9}|\d{11}|\d{14})$/;

/**
 * Whether the first row of a list is its header. It is not when more of its cells look like data
 * than like column names: a list without a header must not lose its first row.
 */
export function looksLikeHeader(cells: readonly (string | undefined)[]): boolean {
  const { names, data } = countHeaderCells(cells);
  return names >= data;
}

/** How many cells of a row look like column names, and how many like data; most look like neither. */
export function countHeaderCells(cells: readonly (string | undefined)[]) {
  const texts = cells.map((cell) => (cell ?? '').trim());
  const names = texts.filter(isColumnName).length;
  const data = texts.filter((text) => !isColumnName(text) && isData(text)).length;
  return { names, data };
}

/** `Company Name` and `company.id`, but neither `Lead` nor `name.com`. */
function isColumnName(text: string): boolean {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return (
    found.some((word) => nameWords.has(word)) &&
    found.every((word) => nameWords.has(word) || helpingWords.has(word))
  );
}

function isData(text: string): boolean {
  // Spreadsheets export ="51824753556" to keep a number as text.
  const bare = text.replace(/^="(.*)"$/, '$1');
  return (
    dataPatterns.some((pattern) => pattern.test(bare)) ||
    registerNumber.test(bare.replaceAll(/[\s-]/g, ''))
  );
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
