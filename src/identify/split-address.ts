export interface Address {
  /** The cell named a scheme or began with `//`, so it was meant as a web address. */
  readonly isUrl: boolean;
  /** What stood before an @; undefined without one. */
  readonly user: string | undefined;
  /** As written, without its port; may be anything at all. */
  readonly host: string;
  /** Path and query, from the first slash, question mark or hash on; empty without one. */
  readonly rest: string;
}

/**
 * Cuts a web address, bare host or e-mail address into its parts, whatever is wrong with its
 * scheme: `https//acme.com`, `http:\\acme.com` and `http://https://acme.com` all name acme.com.
 * Null means that it is an address of another sort: `file:///…`, `tel:…`.
 */
export function splitAddress(text: string): Address | null {
  let address = text;
  let isUrl = false;
  // People paste an address behind the `http://` that a form already showed; twice is enough.
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
