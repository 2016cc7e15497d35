const separators = /[\s,;|]+/;
const separator = /[\s,;|<(]/;
const remark = /\([^().@]*\)/g;
const bracketed = /<([^<>\s]*[.@:][^<>\s]*)>/g;
const wrapping = /^["'([{*•]+|["')\]}*!]+$/g;
const label = /^(?:website|web ?site|web|url|domain|home ?page|e-?mail|linkedin)\s*[:=]\s*(?!\/)/i;
const connective = /^(?:and|or)$/i;
const wordCharacter = /[\p{L}\p{N}]/u;

/**
 * Splits a cell that may hold several values. It leaves out a name before `<…>`, remarks in
 * parentheses and a leading label: `Jane <jane@acme.com> → jane@acme.com`,
 * `acme.com (AU) → acme.com`, `Website: acme.com → acme.com`.
 */
export function splitValues(cell: string): string[] {
  const text = cell.replace(label, '');
  if (!separator.test(text)) return [text];
  if (text.includes('<')) {
    const inBrackets = [...text.matchAll(bracketed)].map(([, value]) => value ?? '');
    if (inBrackets.length > 0) return inBrackets;
  }
  const parts = text
    .replace(remark, ' ')
    .split(separators)
    .map((part) => part.replace(wrapping, ''));
  return parts.filter((part) => wordCharacter.test(part) && !connective.test(part));
}
