/**
 * Text that a spreadsheet shows as it is. It would run a cell that begins like a formula, which a
 * company may have put into its own name, and it would read an ABN as 5.1824E+10, a code without
 * its leading zeros, and the size band 11-50 as a day in November.
 */
export function protectFromExcel(text: string): string {
  if (isChangedByExcel.test(text) && text.length <= longestFormulaText) return `="${text}"`;
  return startsLikeFormula.test(text) && !isPlainNumber.test(text) ? `'${text}` : text;
}

/** Excel takes no longer text inside a formula. */
const longestFormulaText = 255;

/** Full-width signs count too: Numbers and Excel in Japanese read them like the plain ones. */
const startsLikeFormula = /^[=+\-@\t\r\n＝＋－＠]/;
const isPlainNumber = /^-?\d+(?:\.\d+)?$/;

/** Only digits and a few signs match any of these, so the result holds no quote to escape. */
const isChangedByExcel = new RegExp(
  [
    /** Eleven digits and more: ABNs, GTINs, ids; from sixteen on digits would be lost. */
    String.raw`[+-]?\d{11,}`,
    String.raw`0\d+`,
    /** Phone numbers with their plus, one or several: +1-555-0100 is arithmetic to Excel. */
    String.raw`\+\d[\d ().-]*(?:; \+?\d[\d ().-]*)*`,
    /** 11-50, 2/2010, 2020-01-31, 31.1.2020: dates; 00:02:11: a time. */
    String.raw`\d{1,4}[-/]\d{1,4}(?:[-/]\d{1,4})?`,
    String.raw`\d{1,2}\.\d{1,2}\.\d{1,4}`,
    String.raw`\d{1,3}:\d{2}(?::\d{2})?`,
    /** 12E5 and 1.2e3: floating point. */
    String.raw`\d+(?:\.\d+)?[eE][+-]?\d+`,
  ]
    .map((pattern) => `^${pattern}$`)
    .join('|'),
);
