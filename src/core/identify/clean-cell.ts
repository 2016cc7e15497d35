/** No identifier is longer than this, so longer cells are rejected. */
export const maxCellLength = 4_000;

const blankWords = new Set([
  ...['', 'n/a', 'na', 'n.a', 'n.a.', 'none', 'null', 'nil', 'unknown', 'tbc', 'tba', 'tbd'],
  ...['undefined', 'nan', '(blank)', '(none)', 'not available', 'not applicable'],
  ...['#n/a', '#ref!', '#value!', '#name?', '#null!', '#num!', '#div/0!'],
]);
const longestBlankWord = Math.max(...[...blankWords].map((word) => word.length));
const onlyDashes = /^[\p{Pd}_−]+$/u;

const closingOf: Record<string, string> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“',
  '‘': '’',
  '«': '»',
  '<': '>',
};

/** `="51824753556" → 51824753556`, `<jane@acme.com> → jane@acme.com`, `ａｃｍｅ.com → acme.com` */
export function cleanCell(text: string): string {
  if (plainCell.test(text)) return text;
  const trimmed = text.trim();
  // Keeps one character over the limit, so the caller sees that the cell was too long.
  if (trimmed.length > maxCellLength) return trimmed.slice(0, maxCellLength + 1);
  return unwrap(asciiCell.test(trimmed) ? trimmed : normalise(trimmed));
}

/** Word and PDFs turn hyphens into these. */
export const otherDashes = '\u2010\u2011\u2012\u2013\u2014\u2015\u2212';
const otherDash = new RegExp(`[${otherDashes}]`, 'g');

/** `acme–group.com → acme-group.com`. Keys keep their dashes, or they would change. */
export function cleanIdentifier(text: string): string {
  return cleanCell(text).replace(otherDash, '-');
}

export function isBlank(cleaned: string): boolean {
  if (cleaned.length > longestBlankWord) return onlyDashes.test(cleaned);
  return blankWords.has(cleaned.toLowerCase()) || onlyDashes.test(cleaned);
}

const plainCell = /^[A-Za-z0-9](?:[ -~]{0,250}[A-Za-z0-9/])?$/;
const asciiCell = /^[ -~]*$/;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
const controls = /[^\P{Cc}\s]/gu;

function normalise(text: string) {
  const visible = text.toWellFormed().replace(invisible, '').normalize('NFKC');
  // NFKC can create invisible characters, and removing those can let others combine.
  return visible.replace(invisible, '').replace(controls, '').normalize('NFKC');
}

function unwrap(text: string) {
  let start = 0;
  let end = text.length;
  for (;;) {
    while (start < end && isSpace(text, start)) start += 1;
    while (start < end && isSpace(text, end - 1)) end -= 1;
    const isWrapped = end - start >= 2 && closingOf[text.charAt(start)] === text[end - 1];
    if (isWrapped) {
      start += 1;
      end -= 1;
    } else if (text.startsWith('="', start) && text[end - 1] === '"' && end - start >= 3) {
      start += 1;
    } else if (text[start] === "'" && start < end) {
      start += 1;
    } else {
      return text.slice(start, end);
    }
  }
}

function isSpace(text: string, index: number) {
  return text.charAt(index).trim() === '';
}
