/** Words that people put above columns. A cell made of these alone is a name, not data. */
const headerWords = new Set(
  `abn acn address business city code company contact country department description domain email
  employees first fqdn head headquarters homepage hq id identifier industry last lead link linkedin
  location mail mobile name network number organisation organization page person phone postcode
  profile registered revenue row seniority site size slug state status street suburb title trading
  type url web website zip`.split(/\s+/),
);

/** What a cell of data looks like, and hardly any column name. */
const dataPatterns: readonly RegExp[] = [
  /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i,
  /^https?:\/\/\S+$/i,
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+(?:\p{L}{2,}|xn--[a-z0-9-]+)(?:[:/?#]\S*)?$/iu,
  /^(?:\d{9}|\d{11}|\d{14})$/,
];

/**
 * A list of domains made by hand often has no header, and its first domain must not be lost as
 * one: the first record is data when a cell looks like data and none is a usual column name.
 */
export function looksLikeHeader(cells: readonly (string | undefined)[]): boolean {
  const texts = cells.map((cell) => (cell ?? '').trim()).filter((text) => text !== '');
  return texts.some(isColumnName) || !texts.some(isData);
}

function isColumnName(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length > 0 && words.every((word) => headerWords.has(word));
}

function isData(text: string): boolean {
  const bare = text.replace(/^="?(.*?)"?$/, '$1');
  const digits = bare.replaceAll(/[\s\u00a0-]/g, '');
  return dataPatterns.some((pattern) => pattern.test(bare) || pattern.test(digits));
}
