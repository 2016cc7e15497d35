import type { ParquetWriter } from 'hyparquet-writer';

/** What the library says of a column chunk in the footer. */
export type ChunkFacts = NonNullable<
  ParquetWriter['row_groups'][number]['columns'][number]['meta_data']
>;

export type Statistics = NonNullable<ChunkFacts['statistics']>;
type Bound = NonNullable<Statistics['min_value']>;

export const noStatistics: Statistics = { null_count: 0n };

/** The statistics of a chunk with one more page. */
export function addStatistics(chunk: Statistics, page: Statistics): Statistics {
  const { min_value: least, max_value: most } = chunk;
  const { min_value, max_value } = page;
  const isLess = min_value !== undefined && (least === undefined || isBefore(min_value, least));
  const isMore = max_value !== undefined && (most === undefined || isBefore(most, max_value));
  return {
    ...chunk,
    null_count: (chunk.null_count ?? 0n) + (page.null_count ?? 0n),
    ...(isLess && { min_value: copied(min_value) }),
    ...(isMore && { max_value: copied(max_value) }),
  };
}

/** The statistics with bounds that are short enough for a footer. */
export function footerStatistics({ null_count, min_value, max_value }: Statistics): Statistics {
  return {
    ...(null_count !== undefined && { null_count }),
    ...lowerBound(min_value),
    ...upperBound(max_value),
  };
}

/** Short texts share memory with others that came with them, which must not be held for a bound. */
function copied(bound: Bound): Bound {
  return bound instanceof Uint8Array ? new Uint8Array(bound) : bound;
}

/** Parquet orders text by its bytes in UTF-8, which is not the order of JavaScript. */
function isBefore(one: Bound, other: Bound): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) {
    return Buffer.compare(one, other) < 0;
  }
  return one < other;
}

/** The library cuts off longer bounds, but within characters, and not every reader takes halves. */
const maxBoundBytes = 16;

function lowerBound(least: Bound | undefined): Partial<Statistics> {
  if (least === undefined) return {};
  if (!isLongText(least)) return { min_value: least };
  return { min_value: wholeCharacters(least, maxBoundBytes), is_min_value_exact: false };
}

function upperBound(most: Bound | undefined): Partial<Statistics> {
  if (most === undefined) return {};
  if (!isLongText(most)) return { max_value: most };
  // The next character may be a byte longer than the one it replaces.
  const characters = [...wholeCharacters(most, maxBoundBytes - 1).toString('utf8')];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const next = characterAfter(last);
    if (next === undefined) continue;
    const bound = Buffer.from(characters.join('') + next);
    return { max_value: bound, is_max_value_exact: false };
  }
  return {};
}

function isLongText(bound: Bound): bound is Uint8Array {
  return bound instanceof Uint8Array && bound.length > maxBoundBytes;
}

/** As many whole characters from the beginning of a text in UTF-8 as fit. */
function wholeCharacters(bytes: Uint8Array, maxBytes: number): Buffer {
  let end = maxBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Buffer.from(bytes.subarray(0, end));
}

/** The next character in the order of UTF-8; undefined after the last one. */
function characterAfter(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x10ffff) return undefined;
  // Half a surrogate pair is no character.
  return String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
}
