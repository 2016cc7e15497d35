export type Redact = (text: string) => string;

const inPlaceOfSecret = '[redacted]';

/** A shorter secret could be a word of an answer, and the answer is what was paid for. */
export const leastGuardedLength = 8;

/** Takes secrets out of foreign text: as they are, URL-encoded, JSON-escaped, in Base64 and in hexadecimal. */
export function createRedactor(secrets: readonly string[]): Redact {
  const patterns = secrets.filter((secret) => secret !== '').flatMap(patternsOf);
  return (text) =>
    patterns.reduce((clean, pattern) => clean.replace(pattern, inPlaceOfSecret), text);
}

/**
 * Whether a text may hold a secret that a redactor would take out. All its forms keep a row of its letters and
 * digits unless these are escaped, and looking for these bytes takes a tenth of the time.
 */
export function createSecretSearch(secret: string): (bytes: Buffer) => boolean {
  const traces = [...new Set(formsOf(secret).map(traceOf))].map((trace) => Buffer.from(trace));
  return (bytes) =>
    traces.some((trace) => bytes.includes(trace)) ||
    (bytes.includes(escapeStart) && escapedLetter.test(bytes.toString('latin1')));
}

const escapeStart = Buffer.from('\\u00');
/** Services escape signs and accents; none has a reason to escape letters and digits of ASCII. */
const escapedLetter = /\\u00(?:3\d|[46][1-9a-fA-F]|[57][0-9aA])/;

/** The longest row of letters and digits; empty where there is none, and that is in every text. */
function traceOf(form: string): string {
  const [trace = ''] = form.split(/[^A-Za-z0-9]+/).sort((a, b) => b.length - a.length);
  return trace;
}

function patternsOf(secret: string): RegExp[] {
  // The longest first, or a short form would leave the rest of a long one behind.
  return [...new Set(formsOf(secret).map(asCarried))]
    .sort((a, b) => b.length - a.length)
    .map((pattern) => new RegExp(pattern, 'g'));
}

function formsOf(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, hex, hex.toUpperCase(), base64];
}

/** Letters and digits stay as they are but for escapes of JSON; other signs do not. */
function asCarried(form: string): string {
  return form.replace(/./gsu, (sign) => {
    const spellings = /[A-Za-z0-9]/.test(sign) ? [sign] : spellingsOf(sign);
    return `(?:${[...new Set(spellings)].map(literally).join('|')}|${unicodeEscape(sign)})`;
  });
}

function spellingsOf(sign: string): string[] {
  const inUrl = encodeURIComponent(sign.toWellFormed());
  const inJson = JSON.stringify(sign).slice(1, -1);
  const inUrlBase64 = sign === '+' ? '-' : sign === '/' ? '_' : sign;
  return [sign, inUrl, inUrl.toLowerCase(), inJson, `\\${sign}`, inUrlBase64];
}

/** A pattern for `\u002b` or `\u002B`. */
function unicodeEscape(sign: string): string {
  return [...Array(sign.length).keys()]
    .map((index) => sign.charCodeAt(index).toString(16).padStart(4, '0'))
    .map((hex) => `\\\\u${hex.replace(/[a-f]/g, (d) => `[${d}${d.toUpperCase()}]`)}`)
    .join('');
}

/** A pattern that matches the text and nothing else. */
export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
