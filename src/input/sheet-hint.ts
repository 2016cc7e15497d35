import type { SheetChoice } from './open-workbook.ts';

/** For messages about a sheet that holds no list: it may be a cover, with the list behind it. */
export function sheetHint(sheet: SheetChoice | undefined): string {
  if (sheet === undefined || sheet.others.length === 0) return '';
  const others = sheet.others.map((name) => JSON.stringify(name)).join(', ');
  return `\nThis is the sheet ${JSON.stringify(sheet.name)}; choose another with --sheet: ${others}`;
}
