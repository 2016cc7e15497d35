import {
  anySign,
  companyForms,
  endings,
  letters,
  openings,
  otherForms,
  phrases,
  separators,
  signs,
  spellings,
} from './fold-rules.ts';

/**
 * Two names are the same if their folds are equal.
 * `The Blue-Gum Café (QLD) Pty. Ltd. → blue gum cafe qld`
 */
export function foldName(text: string): string {
  return foldsIn(text)[0] ?? '';
}

/** Folds of all names in a cell, the one of the ABN first: `Acme Pty Ltd t/a Blue Gum → acme, blue gum` */
export function foldsIn(text: string): string[] {
  const others: string[] = [];
  const main = foldWords(wordsIn(text), others);
  return main === '' ? [] : [...new Set([main, ...others])];
}

/** `Acme P/L → company`, `Acme G.m.b.H. → gmbh`, `Acme S.A. → s.a.`, unless it is South Australia */
export function legalFormsIn(text: string): string[] {
  const words = joinInitials(wordsIn(text));
  const isForm = (form: string) => words.indexOf(form) > 0;
  const forms: string[] = otherForms.filter(isForm);
  if (/\sS\.\s?A\.?\s*$/i.test(text)) forms.push('s.a.');
  return forms.length === 0 && companyForms.some(isForm) ? ['company'] : forms;
}

/** Rules make room for each other, so they run until none applies: `The Trustee for The … Pty Ltd`. */
function foldWords(given: string[], others: string[]): string {
  let words = given;
  for (;;) {
    const before = words.length;
    words = joinInitials(words);
    words = replacePhrases(words);
    words = dropNumberWords(words);
    const opening = words.length > 1 && findAt(openingsByWord, words, 0);
    if (opening && opening.words.length < words.length) words = words.slice(opening.words.length);
    words = cutEndings(words);
    const cut = findSeparator(words);
    if (cut) {
      const other = foldWords(cut.other, others);
      if (other !== '') others.push(other);
      words = cut.main;
    }
    if (words.length === before) return words.join(' ');
  }
}

const asciiText = /^[\0-\x7f]*$/;
const marks = /\p{M}/gu;
const composed = new RegExp(`[${Object.keys(letters).join('')}]`, 'g');
const wordPattern = /[\p{L}\p{N}]+/gu;
const asciiWord = /[a-z0-9]+/g;

function wordsIn(text: string): string[] {
  const isAscii = asciiText.test(text);
  let lower = isAscii ? text.toLowerCase() : withoutAccents(text);
  if (anySign.test(lower)) {
    for (const [pattern, replacement] of signs) lower = lower.replace(pattern, replacement);
  }
  const words = lower.match(isAscii ? asciiWord : wordPattern) ?? [];
  return words.map((word) => spellings.get(word) ?? word);
}

function withoutAccents(text: string) {
  const lower = text.toWellFormed().normalize('NFKD').toLowerCase().normalize('NFKD');
  return lower.replace(marks, '').replace(composed, (letter) => letters[letter] ?? letter);
}

/** `a b c plumbing → abc plumbing` */
function joinInitials(words: string[]) {
  if (!words.some((word, at) => isLetter(word) && isLetter(words[at + 1]))) return words;
  const joined: string[] = [];
  let isInitials = false;
  for (const word of words) {
    if (isLetter(word) && isInitials) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
    isInitials = isLetter(word);
  }
  return joined.map((word) => spellings.get(word) ?? word);
}

function isLetter(word: string | undefined) {
  return word?.length === 1 && word >= 'a' && word <= 'z';
}

/** `no 2 → 2`, `number 2 → 2` */
function dropNumberWords(words: string[]) {
  if (!words.includes('no') && !words.includes('number')) return words;
  return words.filter((word, at) => {
    return !((word === 'no' || word === 'number') && /^\d/.test(words[at + 1] ?? ''));
  });
}

interface Phrase {
  readonly words: readonly string[];
  readonly value: string;
}
type PhraseTable = ReadonlyMap<string, readonly Phrase[]>;

/** Phrases by their first word or, for endings, by their last. */
function tableOf(rows: readonly (readonly [string, string])[], from: 0 | -1 = 0): PhraseTable {
  const all = rows.map(([text, value]) => ({ words: text.split(' '), value }));
  const longestFirst = all.sort((one, other) => other.words.length - one.words.length);
  return Map.groupBy(longestFirst, ({ words }) => words.at(from) ?? '');
}

const phrasesByWord = tableOf(phrases);
const openingsByWord = tableOf(openings.map((text) => [text, '']));
const endingsByWord = tableOf(
  endings.map((text) => [text, '']),
  -1,
);
const separatorsByWord = tableOf(separators);

function findAt(table: PhraseTable, words: readonly string[], at: number) {
  return table
    .get(words[at] ?? '')
    ?.find((phrase) => phrase.words.every((word, offset) => words[at + offset] === word));
}

function replacePhrases(words: string[]) {
  let result = words;
  for (let at = 0; at < result.length; at += 1) {
    const found = findAt(phrasesByWord, result, at);
    const isAll = found?.value === '' && found.words.length === result.length;
    if (!found || isAll) continue;
    const replacement = found.value === '' ? [] : [found.value];
    result = result.toSpliced(at, found.words.length, ...replacement);
    at -= 1;
  }
  return result;
}

function cutEndings(words: string[]) {
  let end = words.length;
  for (;;) {
    const found = endingsByWord
      .get(words[end - 1] ?? '')
      ?.find(({ words: ending }) =>
        ending.every((word, at) => words[end - ending.length + at] === word),
      );
    if (!found || found.words.length >= end)
      return end === words.length ? words : words.slice(0, end);
    end -= found.words.length;
  }
}

function findSeparator(words: string[]) {
  for (let at = 1; at < words.length - 1; at += 1) {
    const found = findAt(separatorsByWord, words, at);
    if (!found) continue;
    const before = words.slice(0, at);
    const after = words.slice(at + found.words.length);
    if (after.length === 0) continue;
    return found.value === 'before'
      ? { main: before, other: after }
      : { main: after, other: before };
  }
  return undefined;
}
