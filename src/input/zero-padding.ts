import { readXmlTags } from './xml-tags.ts';

/** Digits and what stands between them, but no decimals, thousands, dates or words. */
const zerosOnly = /^(?:0|[ -]|\\.|"[^"]*")+$/;
const rowsLookedAt = 1_000;

/**
 * A number that wears the format `000 000 000` is shown with zeros that it does not have, and a
 * company number needs them. Cells of a column wear the same format, so that the first rows tell
 * for all: how many digits each column shows at least, by its place from 0.
 */
export function findZeroPadding(
  sheetXml: string,
  formats: readonly string[],
): ReadonlyMap<number, number> {
  const digits = new Map<number, number>();
  let rows = 0;
  for (const { name, attributes } of readXmlTags(sheetXml)) {
    if (name === 'row') rows += 1;
    if (rows > rowsLookedAt) break;
    // Text and errors wear formats, too, and show nothing of them.
    if (name !== 'c' || !isNumber(attributes.get('t'))) continue;
    const column = columnOf(attributes.get('r') ?? '');
    const padding = paddingOf(formats[Number(attributes.get('s') ?? 0)] ?? '');
    // Where cells disagree, none is padded: a zero too many would be made up.
    digits.set(column, Math.min(digits.get(column) ?? padding, padding));
  }
  return new Map([...digits].filter(([, padding]) => padding > 1));
}

/** `000 000 000 → 9`, `General → 0` */
function paddingOf(format: string): number {
  if (!zerosOnly.test(format)) return 0;
  return format.replaceAll(/\\.|"[^"]*"/g, '').replaceAll(/[^0]/g, '').length;
}

function isNumber(type: string | undefined): boolean {
  return type === undefined || type === 'n';
}

/** `C12 → 2` */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of reference.replace(/\d+$/, '').toUpperCase()) {
    column = column * 26 + letter.charCodeAt(0) - 64;
  }
  return column - 1;
}
