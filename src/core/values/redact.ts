export type Redact = (text: string) => string;

const inPlaceOfSecret = '[redacted]';

/** A shorter secret may be a word in an answer, and redacting it would damage paid data. */
export const leastGuardedLength = 8;

export function createRedactor(secrets: readonly string[]): Redact {
  const patterns = secrets.filter((secret) => secret !== '').flatMap(patternsOf);
  return (text) =>
    patterns.reduce((clean, pattern) => clean.replace(pattern, inPlaceOfSecret), text);
}

/** Ten times faster than redacting, but with false positives. */
export function createSecretSearch(secret: string): (bytes: Buffer) => boolean {
  const traces = [...new Set(formsOf(secret).map(longestWordIn))].map((trace) =>
    Buffer.from(trace),
  );
  return (bytes) =>
    traces.some((trace) => bytes.includes(trace)) ||
    (bytes.includes(escapeStart) && escapedLetter.test(bytes.toString('latin1')));
}

const escapeStart = Buffer.from('\\u00');
/** An escaped letter may hide the secret, so it counts as found. Services rarely escape letters. */
const escapedLetter = /\\u00(?:3\d|[46][1-9a-fA-F]|[57][0-9aA])/;

/** A form without letters or digits gives an empty text, which matches everything. */
function longestWordIn(form: string) {
  const [trace = ''] = form.split(/[^A-Za-z0-9]+/).sort((a, b) => b.length - a.length);
  return trace;
}

function patternsOf(secret: string) {
  // Longest first, because a short form may be part of a longer one.
  return [...new Set(formsOf(secret).map(asCarried))]
    .sort((a, b) => b.length - a.length)
    .map((pattern) => new RegExp(pattern, 'g'));
}

function formsOf(secret: string) {
  const hex = Buffer.from(secret).toString('hex');
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, hex, hex.toUpperCase(), base64];
}

function asCarried(form: string) {
  return form.replace(/./gsu, (sign) => {
    const spellings = /[A-Za-z0-9]/.test(sign) ? [sign] : spellingsOf(sign);
    return `(?:${[...new Set(spellings)].map(literally).join('|')}|${escapePattern(sign)})`;
  });
}

function spellingsOf(sign: string) {
  const inUrl = encodeURIComponent(sign.toWellFormed());
  const inJson = JSON.stringify(sign).slice(1, -1);
  const inUrlBase64 = sign === '+' ? '-' : sign === '/' ? '_' : sign;
  return [sign, inUrl, inUrl.toLowerCase(), inJson, `\\${sign}`, inUrlBase64];
}

function escapePattern(sign: string) {
  return [...Array(sign.length).keys()]
    .map((index) => sign.charCodeAt(index).toString(16).padStart(4, '0'))
    .map((hex) => `\\\\u${hex.replace(/[a-f]/g, (d) => `[${d}${d.toUpperCase()}]`)}`)
    .join('');
}

export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
