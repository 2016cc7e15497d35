/** Where the engine names an option of the command line, the page has a field. */
const fields = {
  '--header-row or input.headerRow': 'Header in row',
  '--encoding or input.encoding': 'Encoding',
} as const;

/** What the engine says of a list, for a reader who has fields in place of options. */
export function inPageWords(text: string): string {
  return Object.entries(fields).reduce(
    (told, [option, field]) => told.replaceAll(option, `“${field}”`),
    text,
  );
}
