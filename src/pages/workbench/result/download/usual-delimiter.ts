/** What the spreadsheets of a language take between columns: a semicolon where a comma is in numbers. */
export function usualDelimiter(language: string): ',' | ';' | '\t' {
  return new Intl.NumberFormat(language).format(1.5).includes(',') ? ';' : ',';
}
