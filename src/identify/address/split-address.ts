export interface Address {
  /** The text has a scheme or begins with `//`. */
  readonly isUrl: boolean;
  /** The text before an @; undefined without one. */
  readonly user: string | undefined;
  /** The host as written, without its port. It is not checked and may be any text. */
  readonly host: string;
  /** Path, query and hash; empty without them. */
  readonly rest: string;
}

/**
 * Splits a URL, bare host or e-mail address into its parts. A misspelt or doubled scheme does no
 * harm: `https//acme.com`, `http:\\acme.com` and `http://https://acme.com` have the host acme.com.
 * Null for other schemes: `file:///…`, `tel:…`.
 */
export function splitAddress(text: string): Address | null {
  let address = text;
  let isUrl = false;
  // Forms that begin with `http://` get a whole URL pasted after it.
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

function withoutPort(host: string): string {
  return host.includes(':') ? host.replace(port, '$1') : host;
}
