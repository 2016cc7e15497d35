const plain = /^[ -~]*$/;
const blanks = /[\s\p{Cc}]+/gu;
const marks = /\p{M}/gu;

/** A text as it is searched and sorted by: without upper case, accents, line breaks and doubled blanks. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  const bare = plain.test(lower) ? lower : lower.normalize('NFKD').replace(marks, '');
  return bare.replace(blanks, ' ').trim();
}

/** SQLite takes a thousand conditions; people type a few. */
const mostWords = 100;

/** The words of a search, each once. */
export function wordsOf(search: string): string[] {
  const words = new Set(fold(search).split(' '));
  return [...words].filter((word) => word !== '').slice(0, mostWords);
}
