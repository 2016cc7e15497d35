import { cleanIdentifier } from './clean-cell.ts';
import { isReject, type Reading } from './identifier.ts';
import { parseDomain, slips } from './parse-domain.ts';

/**
 * The value that was certainly meant: `smec,com → smec.com`, `www. acme.com → www.acme.com`,
 * `acme.con → acme.com`. Undefined if the value is right, or if more than one could be meant.
 */
export function suggestValue(cell: string, as: Reading): string | undefined {
  if (as !== 'fqdn' && as !== 'website' && as !== 'auto') return undefined;
  const text = cleanIdentifier(cell);
  const repaired = text.replaceAll(/\s*[.,;]\s*/g, '.').replace(slips, '.com');
  if (repaired === text || /\s/.test(repaired) || !isReject(parseDomain(text))) return undefined;
  const found = parseDomain(repaired);
  // `acme,bolt.com` names two things, so the whole host must be one domain.
  const host = repaired.replace(/^(?:https?:\/\/|[^@\s]+@)?(?:www\.)?/i, '').toLowerCase();
  return isReject(found) || found.value !== host ? undefined : repaired;
}

/** The first cell of a rejected row that certainly means a domain. */
export function meantCell(reason: string | null, cells: readonly (string | null | undefined)[]) {
  if (reason !== 'not_a_domain' && reason !== 'unknown_tld') return undefined;
  for (const [at, cell] of cells.entries()) {
    const value = suggestValue(cell ?? '', 'fqdn');
    if (value !== undefined) return { at, value };
  }
  return undefined;
}

/** Several words, or one that begins with a capital, and nothing that addresses and numbers have. */
const name =
  /^(?=\p{Lu}|\p{Lo}|[^\s]+\s)(?!.*[@:/\\])(?!.*[\p{L}\p{N}]\.[\p{L}\p{N}]{2})(?=.*\p{L}{2}).+$/u;

export function looksLikeName(text: string): boolean {
  return text.length <= 200 && name.test(text);
}
