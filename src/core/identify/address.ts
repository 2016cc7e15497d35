export interface Address {
  readonly isUrl: boolean;
  readonly user: string | undefined;
  readonly host: string;
  readonly rest: string;
}

/** Also accepts `https//acme.com`, `http:\\acme.com` and `http://https://acme.com`. */
export function splitAddress(text: string): Address | null {
  let address = text;
  let isUrl = false;
  for (let times = 0; times < 3; times += 1) {
    const scheme = webScheme.exec(address)?.[0];
    if (scheme === undefined) break;
    address = address.slice(scheme.length);
    isUrl = true;
  }
  if (!isUrl) {
    const mail = mailScheme.exec(address)?.[0];
    if (mail !== undefined) address = address.slice(mail.length);
    else if (otherScheme.test(address)) return null;
  }
  const end = address.search(endOfAuthority);
  const authority = end === -1 ? address : address.slice(0, end);
  const at = authority.lastIndexOf('@');
  return {
    isUrl,
    user: at === -1 ? undefined : authority.slice(0, at),
    host: withoutPort(authority.slice(at + 1)),
    rest: end === -1 ? '' : address.slice(end),
  };
}

const webScheme =
  /^(?:(?:https?|htps?|htttps?|hhttps?|ttps?|hxxps?|ftp)(?::[/\\]*|\.?[/\\]{1,3})|[/\\]{2,})/i;
const mailScheme = /^mailto:/i;
const otherScheme =
  /^(?:[a-z][a-z0-9+-]*:[/\\]{2}|(?:tel|callto|sms|skype|javascript|data|file|about):)/i;
const endOfAuthority = /[/\\?#]/;
const port = /^([^:]*|\[[^\]]*\]):\d*$/;

function withoutPort(host: string) {
  return host.includes(':') ? host.replace(port, '$1') : host;
}

const separators = /[\s,;|]+/;
const separator = /[\s,;|<(]/;
const remark = /\([^().@]*\)/g;
const bracketed = /<([^<>\s]*[.@:][^<>\s]*)>/g;
const wrapping = /^["'([{*•]+|["')\]}*!]+$/g;
const label = /^(?:website|web ?site|web|url|domain|home ?page|e-?mail|linkedin)\s*[:=]\s*(?!\/)/i;
const connective = /^(?:and|or)$/i;
const wordCharacter = /[\p{L}\p{N}]/u;

/** `Jane <jane@acme.com> → jane@acme.com`, `acme.com (AU) → acme.com` */
export function splitValues(cell: string): string[] {
  const text = cell.replace(label, '');
  if (!separator.test(text)) return [text];
  if (text.includes('<')) {
    const inBrackets = [...text.matchAll(bracketed)].map(([, value]) => value ?? '');
    if (inBrackets.length > 0) return inBrackets;
  }
  const parts = text
    .replace(remark, ' ')
    .split(separators)
    .map((part) => part.replace(wrapping, ''));
  return parts.filter((part) => wordCharacter.test(part) && !connective.test(part));
}

/** `MÜLLER.de. → xn--mller-kva.de`, `0x7f.1 → 127.0.0.1`, `::1 → [::1]` */
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

export function isWellFormed(host: string): boolean {
  return host.length <= 253 && labels.test(host);
}

function isPlainHost(written: string) {
  return plainCharacters.test(written) && !endsInNumber.test(written) && !written.includes('xn--');
}

const plainCharacters = /^[a-zA-Z0-9._-]+$/;
const endsInNumber = /(?:^|\.)(?:\d+|0[xX][0-9a-fA-F]*)\.?$/;
const bareIpv6 = /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i;
const notInHosts = /[\s/\\?#@]/;
const ipv4 = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;
const labels =
  /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

function withoutOuterDots(host: string) {
  let start = 0;
  let end = host.length;
  while (start < end && host[start] === '.') start += 1;
  while (end > start && host[end - 1] === '.') end -= 1;
  return host.slice(start, end);
}

const redirects = [
  { host: /(?:^|\.)google\.[a-z.]{2,6}$/, path: /^\/url$/, parameters: ['q', 'url'] },
  {
    host: /(?:^|\.)linkedin\.(?:com|cn)$/,
    path: /^\/(?:[a-z-]+\/)?(?:authwall|login|signup|uas|checkpoint|start|redir|safety)(?:\/|$)/,
    parameters: ['sessionRedirect', 'session_redirect', 'url', 'redirect'],
  },
  { host: /^lm?\.(?:facebook|instagram)\.com$/, path: /^\//, parameters: ['u'] },
  { host: /\.safelinks\.protection\.outlook\.com$/, path: /^\//, parameters: ['url'] },
  { host: /^(?:www\.)?duckduckgo\.com$/, path: /^\/l\/?$/, parameters: ['uddg'] },
];

export function redirectTarget(host: string, rest: string): string | null {
  if (!rest.includes('=')) return null;
  const redirect = redirects.find((entry) => entry.host.test(host));
  if (redirect === undefined) return null;
  const url = URL.parse(`https://${host}${rest}`);
  if (url === null || !redirect.path.test(url.pathname.toLowerCase())) return null;
  for (const name of redirect.parameters) {
    const target = url.searchParams.get(name)?.trim();
    if (target) return target;
  }
  return null;
}
