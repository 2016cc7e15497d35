const plain = /^[ -~]*$/;
const blanks = /[\s\p{Cc}]+/gu;
const marks = /\p{M}/gu;

/** A text as it is searched and sorted by: without upper case, accents, line breaks and doubled blanks. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  const bare = plain.test(lower) ? lower : lower.normalize('NFKD').replace(marks, '');
  return bare.replace(blanks, ' ').trim();
}

/** The words of a search, each once. */
export function wordsOf(search: string): string[] {
  return [...new Set(fold(search).split(' '))].filter((word) => word !== '');
}
