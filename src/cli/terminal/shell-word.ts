/** Quotes a word for a shell: `my leads.yaml → 'my leads.yaml'`. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
