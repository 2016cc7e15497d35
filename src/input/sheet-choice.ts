/** The sheet of a workbook that is read as the list. */
export interface SheetChoice {
  readonly name: string;
  /** The other sheets that are not hidden. */
  readonly others: readonly string[];
}

/** Ends a message about a sheet without a list: the list may be on another sheet. */
export function sheetHint(sheet: SheetChoice | undefined): string {
  if (sheet === undefined || sheet.others.length === 0) return '';
  const others = sheet.others.map((name) => JSON.stringify(name)).join(', ');
  return `\nThis is the sheet ${JSON.stringify(sheet.name)}; choose another with --sheet: ${others}`;
}
