/**
 * Normalises a host name; null when the text cannot be one:
 * `MÜLLER.de. → xn--mller-kva.de`, `0x7f.1 → 127.0.0.1`, `::1 → [::1]`.
 */
export function toHostName(written: string): string | null {
  if (isPlainHost(written)) return withoutOuterDots(written.toLowerCase());
  const bracketed = bareIpv6.test(written) ? `[${written}]` : written;
  if (notInHosts.test(bracketed)) return null;
  const host = URL.parse(`https://${bracketed}`)?.hostname;
  return host === undefined ? null : withoutOuterDots(host);
}

export function isIpAddress(host: string): boolean {
  return host.startsWith('[') || ipv4.test(host);
}

/** Labels of letters, digits and hyphens. Underscores are allowed, as subdomains may have them. */
export function isWellFormed(host: string): boolean {
  return host.length <= 253 && labels.test(host);
}

/** Whether lower case is all that the host needs: no escapes, no punycode, no number at the end. */
function isPlainHost(written: string): boolean {
  return plainCharacters.test(written) && !endsInNumber.test(written) && !written.includes('xn--');
}

const plainCharacters = /^[a-zA-Z0-9._-]+$/;
const endsInNumber = /(?:^|\.)(?:\d+|0[xX][0-9a-fA-F]*)\.?$/;
const bareIpv6 = /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i;
const notInHosts = /[\s/\\?#@]/;
const ipv4 = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;
const labels =
  /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

function withoutOuterDots(host: string): string {
  let start = 0;
  let end = host.length;
  while (start < end && host[start] === '.') start += 1;
  while (end > start && host[end - 1] === '.') end -= 1;
  return host.slice(start, end);
}
