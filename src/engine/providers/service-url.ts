import { sampleData } from './providers.ts';

/** Refuses secrets in the URL, because messages and reports show it. */
export function isServiceUrl(written: string): boolean {
  if (written === sampleData) return true;
  if (!URL.canParse(written)) return false;
  const { protocol, username, password, search, hash } = new URL(written);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

/**
 * Answers, budgets and rates are stored by service URL, so all its spellings become one.
 * `formerUrl` is what version 0.9.0 stored for the same text, if that differs.
 */
export function readServiceUrl(written: string): { url: string; formerUrl?: string } {
  if (!URL.canParse(written)) return { url: written };
  const { protocol, host, pathname, href } = new URL(written);
  const path = pathname
    .replaceAll(/%[\da-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    })
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  const url = `${protocol}//${host.replace(/\.+(?=:|$)/, '')}${path}`;
  const formerUrl = href.replace(/\/+$/, '');
  return formerUrl === url ? { url } : { url, formerUrl };
}
