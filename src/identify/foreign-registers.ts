/**
 * Numbers of other registers that turn up in ABN columns. They are told apart from a mistyped ABN
 * because the remedy differs: there is nothing to correct.
 */
export function isForeignRegisterNumber(text: string): boolean {
  if (foreignLabel.test(text)) return true;
  const compact = text.replace(separators, '').toUpperCase();
  return nzbn.test(compact) || uenForms.some((form) => form.test(compact));
}

const foreignLabel = /(?<![A-Z])(?:NZBN|UEN)(?![A-Z])(?=.*\d)/i;
const separators = /[\s.\p{Pd}−]+/gu;

/**
 * A New Zealand Business Number: 13 digits that begin with 94. Its check digit is not looked at,
 * since no ABN has 13 digits and a mistyped NZBN cannot be searched either.
 */
const nzbn = /^94\d{11}$/;
/** Singapore's Unique Entity Numbers: businesses, local companies, and everyone else. */
const uenForms = [/^\d{8}[A-Z]$/, /^(?:18|19|20)\d{7}[A-Z]$/, /^[RST]\d{2}[A-Z]{2}\d{4}[A-Z]$/];
