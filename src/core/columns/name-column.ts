const companyHeader =
  /^(?:(?:company|account|business|organi[sz]ation|legal|trading|entity)(?:[ _-]?name)?|name)$/i;
const nameHeaders = [companyHeader, /name/i];

/** Index of the column by which people recognise a row; undefined if no header names one. */
export function nameColumn(headers: readonly string[]): number | undefined {
  const at = nameHeaders.map((header) => headers.findIndex((text) => header.test(text.trim())));
  return at.find((index) => index !== -1);
}
