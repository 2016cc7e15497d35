import { domainToUnicode } from 'node:url';
import { literally } from '../runtime/log/redact.ts';
import { unicodeEscape } from '../runtime/printable.ts';

/**
 * Finds the values even if an ABN has spaces (`51 824 753 556`) or letters are escaped. Does not
 * find `acme.com` in `acme.com.au`.
 */
export function valuePattern(keys: readonly string[]): RegExp {
  // V8 is fast only with one group of plain texts, so ABNs are kept apart.
  const words = new Set<string>();
  const abns: string[] = [];
  for (const key of keys) {
    const kind = key.slice(0, key.indexOf(' '));
    const value = key.slice(kind.length + 1);
    // The last nine digits of a company's ABN are its ACN.
    if (kind === 'abn') abns.push(abnPattern(value), abnPattern(value.slice(2)));
    else for (const word of wordsFor(kind, value)) words.add(word);
  }
  const anyWord = `(?:${[...words].join('|')})`;
  // The text before a match is checked last, so V8 skips unrelated text fast.
  const before = `(?<=(?:^|[^\\w-]|\\\\[nrt]|%[0-9a-f]{2})${anyWord})`;
  const parts = [
    words.size > 0 && `${anyWord}${before}(?![\\w-]|\\.\\w)`,
    abns.length > 0 && `(?:${abns.join('|')})(?!\\d)`,
  ].filter((part) => part !== false);
  return new RegExp(parts.length === 0 ? '(?!)' : parts.join('|'), 'i');
}

function wordsFor(kind: string, value: string): string[] {
  if (kind === 'domain') return [value, domainToUnicode(value)].flatMap(spellings);
  if (kind === 'page') {
    return spellings(value).map((text) => `(?:company|school|showcase)(?:\\\\?/|%2F)${text}`);
  }
  // A short id such as 42 also occurs in unrelated text.
  const isDistinctive = value.length >= 8 || (value.length >= 5 && /[^\d]/.test(value));
  return isDistinctive ? spellings(value) : [];
}

/** Plain, in JSON and in a URL. */
function spellings(value: string): string[] {
  const inJson = value.replaceAll(/[^ -~]/g, unicodeEscape);
  return [value, inJson, encodeURIComponent(value)].map(literally);
}

/** Allows separators between the digits, but does not match inside a longer number. */
function abnPattern([first = '', ...others]: string): string {
  return [`${first}(?<!\\d${first})`, ...others].join('[ .\\u00a0-]{0,2}');
}
