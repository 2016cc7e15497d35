import { domainToUnicode } from 'node:url';
import { registerKinds } from '../contract/identifier-kinds.ts';
import { cleanIdentifier, otherDashes } from '../identify/clean-cell.ts';
import { isReject } from '../identify/identifier.ts';
import { identifyCell, kindRules } from '../identify/identify-cell.ts';
import { unicodeEscape } from '../values/printable.ts';
import { literally } from '../values/redact.ts';

/**
 * Finds the values even if an ABN has spaces (`51 824 753 556`) or letters are escaped. `my-acme.com`
 * and `acme.com.au` are only similar to `acme.com`, because they may be other companies.
 */
export function searchFor(keys: readonly string[]) {
  const kinds = new Map<string, string[]>();
  const tooShort: string[] = [];
  const numbers = new Set<string>();
  for (const key of keys) {
    const [, kind = '', value = ''] = /^([^ @]*)[^ ]* (.*)$/s.exec(key) ?? [];
    const texts = spellings(kind, value);
    if (registerKeys.has(kind)) {
      numbers.add(value);
      // The last nine digits of a company's ABN are its ACN.
      if (kind === 'abn') numbers.add(value.slice(2));
    } else if (texts.length === 0) tooShort.push(value);
    else for (const text of texts) kinds.set(text, [kind, ...(kinds.get(text) ?? [])]);
  }
  const source = anyOf([...kinds.keys()]).replaceAll('-', `[-${otherDashes}]`);
  const words = new RegExp(source || nothing, 'gi');
  const registerNumber = numbersOfLengths([...numbers].map(({ length }) => length));

  const find = (text: string): Found[] => {
    const matches: Found[] = [];
    // Not `matchAll`, which would compile the expression for each text.
    words.lastIndex = 0;
    for (let match = words.exec(text); match; match = words.exec(text)) {
      const kindsOf = kinds.get(cleanIdentifier(match[0]).toLowerCase()) ?? [];
      matches.push(...wordAround(match, kindsOf));
    }
    if (numbers.size === 0) return matches;
    for (const match of text.matchAll(registerNumber)) {
      const value = match.slice(1).find((one = '') => numbers.has(one.replaceAll(/\D/g, '')));
      if (value) matches.push({ index: match.index, value, word: value, isSimilar: false });
    }
    return matches;
  };
  return {
    tooShort,
    /** Find candidates in SQL: `words` in the text, `digits` in the text without separators. */
    sources: { words: words.source, digits: [...numbers].join('|') || nothing },
    mayHold: (text: string) => find(text).length > 0,
    /** Adds similar values to `similar`. */
    holds(text: string, similar?: Set<string>): boolean {
      const matches = find(text);
      for (const { word, isSimilar } of matches) if (isSimilar) similar?.add(word);
      return matches.some(({ isSimilar }) => !isSimilar);
    },
    without(text: string): string {
      let [kept, end] = ['', 0];
      for (const { index, value, isSimilar } of find(text).sort((a, b) => a.index - b.index)) {
        if (isSimilar || index < end) continue;
        kept += text.slice(end, index);
        end = index + value.length;
      }
      return kept + text.slice(end);
    },
  };
}

/**
 * Finds the longest text: `acme.com` and `acme.com.au` become `acme\.com(?:\.au)?`. Without common
 * beginnings, V8 would be a thousand times slower with thousands of texts.
 */
function anyOf(texts: readonly string[]): string {
  const byFirst = Map.groupBy(texts.filter(Boolean), ([first = '']) => first);
  const parts = [...byFirst].map(
    ([first, same]) => literally(first) + anyOf(same.map((text) => text.slice(first.length))),
  );
  const isEnd = texts.includes('');
  if (parts.length === 0 || (parts.length === 1 && !isEnd)) return parts.join('');
  return `(?:${parts.join('|')})${isEnd ? '?' : ''}`;
}

interface Found {
  readonly index: number;
  readonly value: string;
  /** Longer than `value` if it is similar. */
  readonly word: string;
  readonly isSimilar: boolean;
}

const nothing = '(?=a)b';
const registerKeys = new Set(registerKinds.map((kind) => kindRules[kind].keyedAs));

/** Captures, for each length, the number that begins at a digit, even with separators in it. */
function numbersOfLengths(lengths: readonly number[]) {
  const longestFirst = [...new Set(lengths)].sort((a, b) => b - a);
  const groups = longestFirst.map(
    (length) => `(?=(\\d(?:[ .\\u00a0-]{0,2}\\d){${length - 1}}(?!\\d))?)`,
  );
  return new RegExp(`(?<!\\d)${groups.join('')}\\d`, 'g');
}

const longestHost = 255;
const pathsBefore: Readonly<Record<string, RegExp>> = {
  page: /(?:company|school|showcase)(?:\\?\/|%2F)$/i,
  profile: /(?:in|pub)(?:\\?\/|%2F)$/i,
};

function wordAround(
  { 0: value, index, input }: RegExpExecArray,
  kinds: readonly string[],
): Found[] {
  const before = input.slice(Math.max(0, index - longestHost), index);
  const after = input.slice(index + value.length, index + value.length + longestHost);
  const [start = ''] =
    /[\p{L}\p{N}_.-]*$/u.exec(before.replace(/(?:\\[nrt]|%[0-9a-f]{2})$/i, ' ')) ?? [];
  const [rest = ''] = /^[\p{L}\p{N}_.-]*/u.exec(after) ?? [];
  const isPart = /[\p{L}\p{N}]$/u.test(start) || /^[\p{L}\p{N}]/u.test(rest);
  if (isPart || !kinds.some((kind) => isDistinctive(kind, value) || isAfterPath(kind, before))) {
    return [];
  }
  // The name of a page may be a common word, such as `telstra`.
  const isPageName = kinds.every((kind) => kind === 'page' && !isAfterPath(kind, before));
  const isLongerName = !kinds.includes('domain') && (/_$/.test(start) || /^[_-]/.test(rest));
  // `acme.com.au.pdf` is not a domain, so it belongs to `acme.com.au`.
  const isLongerDomain = [...rest.matchAll(/\w(?=\.|$)/g)].some(
    (last) => !isReject(identifyCell(value + rest.slice(0, last.index + 1), 'fqdn')),
  );
  const isSimilar = isPageName || isLongerName || isLongerDomain || /[\p{L}\p{N}]-+$/u.test(start);
  return [{ index, value, word: start + value + rest, isSimilar }];
}

function isAfterPath(kind: string, before: string): boolean {
  return pathsBefore[kind]?.test(before) === true;
}

/** A short id such as 42 also occurs in unrelated text. */
function isDistinctive(kind: string, value: string) {
  return kind === 'domain' || value.length >= 8 || (value.length >= 5 && /[^\d]/.test(value));
}

/** Plain, in JSON and in a URL. */
function spellings(kind: string, value: string) {
  if (!isDistinctive(kind, value) && !(kind in pathsBefore)) return [];
  const plain = kind === 'domain' ? [value, domainToUnicode(value)] : [value];
  const all = plain.flatMap((text) => [
    text,
    text.replaceAll(/[^ -~]/g, unicodeEscape),
    encodeURIComponent(text),
  ]);
  return [...new Set(all.map((text) => text.toLowerCase()))];
}
