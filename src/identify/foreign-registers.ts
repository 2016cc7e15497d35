/**
 * Numbers of other registers that turn up in ABN columns. They are told apart from a mistyped ABN
 * because the remedy differs: there is nothing to correct.
 */
export function isForeignRegisterNumber(text: string): boolean {
  if (foreignLabel.test(text)) return true;
  const compact = text.replace(separators, '').toUpperCase();
  return isNzbn(compact) || uenForms.some((form) => form.test(compact));
}

const foreignLabel = /(?<![A-Z])(?:NZBN|UEN)(?![A-Z])(?=.*\d)/i;
const separators = /[\s.\p{Pd}−]+/gu;

/** A New Zealand Business Number: 13 digits that begin with 94 and end with a GS1 check digit. */
function isNzbn(digits: string): boolean {
  if (!/^94\d{11}$/.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < 12; index += 1) {
    sum += Number(digits[index]) * (index % 2 === 0 ? 1 : 3);
  }
  return (10 - (sum % 10)) % 10 === Number(digits[12]);
}

/** Singapore's Unique Entity Numbers: businesses, local companies, and everyone else. */
const uenForms = [/^\d{8}[A-Z]$/, /^(?:18|19|20)\d{7}[A-Z]$/, /^[RST]\d{2}[A-Z]{2}\d{4}[A-Z]$/];
