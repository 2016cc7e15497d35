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
  if (Buffer.byteLength(name) <= maxBytes) return name;
  let kept = '';
  let bytes = 0;
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept.replace(/_+$/, '');
}
