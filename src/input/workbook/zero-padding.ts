import { readXmlTags } from './xml-tags.ts';

/** A format of zeros and separators, without decimals, thousands, dates or words. */
const zerosOnly = /^(?:0|[ -]|\\.|"[^"]*")+$/;
const maxRows = 1_000;

/**
 * Finds how many digits each column shows at least, by column index from 0. The format
 * `000 000 000` shows leading zeros that the stored number lacks, and a company number needs them.
 * The cells of a column share one format, so the first rows are enough.
 */
export function findZeroPadding(
  sheetXml: string,
  formats: readonly string[],
): ReadonlyMap<number, number> {
  const digits = new Map<number, number>();
  let rows = 0;
  for (const { name, attributes } of readXmlTags(sheetXml)) {
    if (name === 'row') rows += 1;
    if (rows > maxRows) break;
    // A number format does not change how text and errors are shown.
    if (name !== 'c' || !isNumber(attributes.get('t'))) continue;
    const column = columnOf(attributes.get('r') ?? '');
    const padding = paddingOf(formats[Number(attributes.get('s') ?? 0)] ?? '');
    // When the formats of a column differ, the fewest digits count: padding must not invent a zero.
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
