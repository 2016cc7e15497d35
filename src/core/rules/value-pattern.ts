import { domainToUnicode } from 'node:url';
import { literally } from '../runtime/log/redact.ts';

/** Finds `51 824 753 556` and escaped letters. Does not find `acme.com` in `acme.com.au`. */
export function valuePattern(keys: readonly string[]): RegExp {
  // V8 is fast only with one group of plain texts.
  const words = new Set<string>();
  const abns: string[] = [];
  for (const key of keys) {
    const kind = key.slice(0, key.indexOf(' '));
    const value = key.slice(kind.length + 1);
    // A short id such as 42 also occurs in unrelated text.
    const isDistinctive = value.length >= 8 || (value.length >= 5 && /[^\d]/.test(value));
    // The last nine digits of a company's ABN are its ACN.
    if (kind === 'abn') abns.push(abnPattern(value), abnPattern(value.slice(2)));
    else if (kind === 'domain')
      for (const text of [value, domainToUnicode(value)]) addWritten(text);
    else if (kind === 'page') addWritten(value, '(?:company|school|showcase)(?:\\\\?/|%2F)');
    else if (isDistinctive) addWritten(value);
  }
  function addWritten(value: string, before = '') {
    const inJson = value.replaceAll(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    for (const text of [value, inJson, encodeURIComponent(value)])
      words.add(before + literally(text));
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

/** `51824753556 → 5(?<!\\d5)[ .-]{0,2}1…` */
function abnPattern([first = '', ...others]: string): string {
  return [`${first}(?<!\\d${first})`, ...others].join('[ .\\u00a0-]{0,2}');
}
