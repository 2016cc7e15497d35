/**
 * Whether a text is a number of another register, NZBN or UEN, as found in ABN columns. It has a
 * reject of its own because it is correct: unlike a mistyped ABN, it cannot be fixed.
 */
export function isForeignRegisterNumber(text: string): boolean {
  if (foreignLabel.test(text)) return true;
  const compact = text.replace(separators, '').toUpperCase();
  return nzbn.test(compact) || uenForms.some((form) => form.test(compact));
}

const foreignLabel = /(?<![A-Z])(?:NZBN|UEN)(?![A-Z])(?=.*\d)/i;
const separators = /[\s.\p{Pd}−]+/gu;

/**
 * New Zealand Business Number: 13 digits that begin with 94. Its check digit is not verified: no
 * ABN has 13 digits, and the service cannot search by a valid NZBN either.
 */
const nzbn = /^94\d{11}$/;
/** Unique Entity Numbers of Singapore: businesses, local companies, other entities. */
const uenForms = [/^\d{8}[A-Z]$/, /^(?:18|19|20)\d{7}[A-Z]$/, /^[RST]\d{2}[A-Z]{2}\d{4}[A-Z]$/];
