import { hash } from 'node:crypto';

/**
 * PostgreSQL has no NUL in text, and UTF-8 no half of a surrogate pair: each is U+FFFD there. What was
 * paid for is kept with a sign that something else stood there.
 */
export function storableText(text: string): string {
  const withoutNul = text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
  return withoutNul.isWellFormed() ? withoutNul : withoutNul.toWellFormed();
}

/**
 * A key stays a key of its own, as another may have U+FFFD where this one has a NUL: what is changed has a hash
 * of the whole behind it.
 */
export function storableKey(text: string): string {
  const stored = storableText(text);
  // As JSON, in which halves of surrogate pairs are told apart.
  return stored === text
    ? text
    : `${stored}~${hash('sha256', JSON.stringify(text), 'hex').slice(0, 16)}`;
}

/**
 * JSON text that PostgreSQL takes as jsonb: without NUL, and nested no deeper than its stack allows; what is
 * nested deeper is a JSON string that holds the text.
 */
export function storableJson(text: string): string {
  const json = text.includes('\\u0000') ? text.replace(nulEscape, '\\ufffd') : text;
  return isDeep(json) ? JSON.stringify(json) : json;
}

/** The escape of NUL, where its backslash is not escaped itself. */
const nulEscape = /(?<=(?:^|[^\\])(?:\\\\)*)\\u0000/g;

/** PostgreSQL's usual stack of 2 MB is full at some thousands. */
const mostLevels = 1_000;

function isDeep(json: string): boolean {
  // A level takes two brackets.
  if (json.length <= 2 * mostLevels) return false;
  let level = 0;
  let isText = false;
  for (let index = 0; index < json.length; index += 1) {
    const sign = json[index];
    if (isText) {
      if (sign === '\\') index += 1;
      else if (sign === '"') isText = false;
    } else if (sign === '"') isText = true;
    else if (sign === '[' || sign === '{') {
      level += 1;
      if (level > mostLevels) return true;
    } else if (sign === ']' || sign === '}') level -= 1;
  }
  return false;
}
