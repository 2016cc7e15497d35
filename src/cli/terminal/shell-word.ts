import { printable } from '../../runtime/printable.ts';

/** Quotes a word for a shell: `my leads.yaml → 'my leads.yaml'`. */
export function shellWord(text: string): string {
  // A shell turns the escapes within $'…' into characters; a terminal shows them.
  if (printable(text) !== text) return `$'${printable(text.replaceAll(/[\\']/g, '\\$&'))}'`;
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
