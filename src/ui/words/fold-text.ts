const plain = /^[ -~]*$/;
const blanks = /[\s\p{Cc}]+/gu;
const marks = /\p{M}/gu;

/** Makes a search ignore case, accents, line breaks and repeated blanks. */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  const bare = plain.test(lower) ? lower : lower.normalize('NFKD').replace(marks, '');
  return bare.replace(blanks, ' ').trim();
}
