import { domainToUnicode } from 'node:url';

/**
 * Finds suppression keys in any text, however they are written: the ABN 51824753556 also as `51 824 753 556`, and letters
 * beyond ASCII also as JSON and addresses escape them.
 */
export function valuePattern(keys: readonly string[]): RegExp {
  const parts = keys.map((key) => {
    const kind = key.slice(0, key.indexOf(' '));
    const value = key.slice(kind.length + 1);
    if (kind === 'abn') return `(?<!\\d)${[...value].join('[ .\\u00a0-]?')}(?!\\d)`;
    if (kind === 'page') return `(?:company|school|showcase)${slash}${written(value)}(?![\\w%-])`;
    if (kind === 'profile') return `(?:in|pub)${slash}${written(value)}(?![\\w%-])`;
    // `acme.com` is part of `acme.com.au` and `notacme.com`, and is neither.
    if (kind === 'domain') {
      return `(?<![\\w-])(?:${written(value)}|${written(domainToUnicode(value))})(?![\\w-]|\\.\\w)`;
    }
    return `(?<![\\w-])${written(value)}(?![\\w-])`;
  });
  return new RegExp(parts.length === 0 ? '(?!)' : parts.join('|'), 'i');
}

const slash = '(?:\\\\?/|%2F)';

/** A value as plain text, as JSON may escape it, and as part of an address. */
function written(value: string): string {
  const plain = escaped(value);
  if (/^[\w.-]*$/.test(value)) return plain;
  const inJson = value.replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `(?:${[plain, escaped(inJson), escaped(encodeURIComponent(value))].join('|')})`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
