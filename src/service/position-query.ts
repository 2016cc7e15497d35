/**
 * Turns a position title into an FTS5 query: all its words, in any order, inside one company.
 * Each word is quoted, so that nothing a caller types is query syntax. Null when there is no word.
 *
 * `Head of "Sales" OR *` → `company : "x635f31" AND position : ("head" "of" "sales" "or")`
 */
export function positionQuery(companyId: string, position: string): string | null {
  const words = position.normalize('NFC').match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu);
  if (!words) return null;
  const company = `x${Buffer.from(companyId).toString('hex')}`;
  const quoted = [...new Set(words)].map((word) => `"${word}"`).join(' ');
  return `company : "${company}" AND position : (${quoted})`;
}
