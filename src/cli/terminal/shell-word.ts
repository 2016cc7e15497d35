import { isListAddress, shownPath } from '../../runtime/files/local-path.ts';
import { printable } from '../../runtime/printable.ts';

/** Quotes a word for a shell: `my leads.yaml → 'my leads.yaml'`. Of an address, its secrets are left away. */
export function shellWord(given: string): string {
  const text = isListAddress(given) && /[@?#]/.test(given) ? shownPath(given) : given;
  // A shell turns the escapes within $'…' into characters; a terminal shows them.
  if (printable(text) !== text) return `$'${printable(text.replaceAll(/[\\']/g, '\\$&'))}'`;
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
