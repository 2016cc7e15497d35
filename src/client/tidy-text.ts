import type { Redact } from '../runtime/redact.ts';

const maxLength = 300;

/** Foreign text made fit for a log, a cell and a terminal: one line, no secret, not endless. */
export function tidyText(text: string, redact: Redact): string {
  // The key goes first: cutting or joining could leave a part that is no longer recognised.
  const line = redact(text)
    .slice(0, 100 * maxLength)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength - 1).toWellFormed()}…`;
}
