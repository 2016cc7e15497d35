export type Redact = (text: string) => string;

const inPlaceOfSecret = '[redacted]';

/** A shorter secret could be a word of an answer, and the answer is what was paid for. */
export const leastGuardedLength = 8;

/**
 * Takes secrets out of text of foreign origin: as they are, in Base64 and in hexadecimal, also
 * within a longer text that was encoded whole, and each as JSON, a URL or a web page carries it.
 * That is how services and proxies echo what they were sent.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const patterns = secrets.filter((secret) => secret !== '').flatMap(patternsOf);
  return (text) =>
    patterns.reduce((clean, pattern) => clean.replace(pattern, inPlaceOfSecret), text);
}

/**
 * Whether a text may hold a secret that a redactor would take out. Quick for the many that do not:
 * whatever stands there for a secret holds some letters and digits of it, and looking for these
 * takes a tenth of the time. In UTF-8 they are bytes that no other letter has, so nothing needs to
 * be decoded for it, except where the text writes letters or digits as escapes.
 */
export function createSecretSearch(secrets: readonly string[]): (bytes: Buffer) => boolean {
  const forms = secrets.filter((secret) => secret !== '').flatMap(formsOf);
  const traces = [...new Set(forms.map(traceOf))];
  const asBytes = traces.map((trace) => Buffer.from(trace));
  return (bytes) => {
    if (asBytes.some((trace) => bytes.includes(trace))) return true;
    if (!bytes.includes(escapeStart)) return false;
    const text = bytes.toString('latin1');
    // Services escape signs and accents; none has a reason to escape letters and digits of ASCII.
    if (!escapedLetter.test(text)) return false;
    const read = text.replace(escapedSign, readEscape);
    return traces.some((trace) => read.includes(trace));
  };
}

const escapeStart = Buffer.from('\\u00');
const escapedLetter = /\\u00(?:3\d|[46][1-9a-fA-F]|[57][0-9aA])/;
/** JSON within JSON has two backslashes; a bound keeps a text of backslashes from taking for ever. */
const backslashes = String.raw`\\{1,4}`;
const escapedSign = new RegExp(`${backslashes}u00([0-9a-fA-F]{2})`, 'g');

function readEscape(_escape: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

/** The longest row of letters and digits; empty where there is none, and that is in every text. */
function traceOf(form: string): string {
  const [trace = ''] = form.split(/[^A-Za-z0-9]+/).sort((a, b) => b.length - a.length);
  // Texts are full of small letters; a search that begins with another sign hardly ever stops.
  const rare = [/[A-Z]/, /\d/].map((signs) => trace.search(signs));
  const first = rare.find((place) => place >= 0 && trace.length - place >= leastPart) ?? 0;
  return trace.slice(first);
}

function patternsOf(secret: string): RegExp[] {
  // The longest first, or a short form would leave the rest of a long one behind.
  return [...new Set(formsOf(secret).map(asCarried))]
    .sort((a, b) => b.length - a.length)
    .map((pattern) => new RegExp(pattern, 'g'));
}

/** A part of an encoded secret that is shorter could be anything. */
const leastPart = 6;

function formsOf(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  const whole = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  const within = [0, 1, 2].map((offset) => base64Within(secret, offset));
  const parts = within.filter(({ length }) => length >= leastPart);
  // In the name of a host it loses its capitals.
  return [secret, hex, hex.toUpperCase(), whole, ...parts, secret.toLowerCase()];
}

/** What stays the same of a secret in Base64 that begins this many bytes after a group of three. */
function base64Within(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const text = bytes.toString('base64').replace(/=+$/, '');
  // The letters at both ends hold bits of what is before and after.
  const first = Math.ceil((offset * 8) / 6);
  return bytes.length % 3 === 0 ? text.slice(first) : text.slice(first, -1);
}

/** Letters and digits stay as they are nearly wherever they go; other signs do not. */
function asCarried(form: string): string {
  return form.replace(/./gsu, (sign) => {
    const spellings = /[A-Za-z0-9]/.test(sign) ? [sign] : spellingsOf(sign);
    return `(?:${[...new Set(spellings)].map(literally).join('|')}|${unicodeEscape(sign)})`;
  });
}

function spellingsOf(sign: string): string[] {
  return [
    sign,
    encodeURIComponent(sign.toWellFormed()),
    encodeURIComponent(sign.toWellFormed()).toLowerCase(),
    JSON.stringify(sign).slice(1, -1),
    `\\${sign}`,
    ...webEntities(sign),
    ...(base64ForUrls[sign] ?? []),
  ];
}

const base64ForUrls: Readonly<Record<string, string[]>> = { '+': ['-'], '/': ['_'] };

/** A pattern for the escapes of a sign, in capitals or not, also those of JSON within JSON. */
function unicodeEscape(sign: string): string {
  return [...Array(sign.length).keys()]
    .map((index) => sign.charCodeAt(index).toString(16).padStart(4, '0'))
    .map((hex) => `${backslashes}u${hex.replace(/[a-f]/g, (d) => `[${d}${d.toUpperCase()}]`)}`)
    .join('');
}

function webEntities(sign: string): string[] {
  const code = sign.codePointAt(0) ?? 0;
  const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  const hex = code.toString(16);
  const named = names[sign] === undefined ? [] : [`&${names[sign]};`];
  return [...named, `&#${code};`, `&#0${code};`, `&#x${hex};`, `&#x${hex.toUpperCase()};`];
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
