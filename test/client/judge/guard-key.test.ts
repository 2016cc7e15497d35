import { expect, test } from 'vitest';
import { guardKey } from '../../../src/client/judge/judge-attempt.ts';
import type { CallOutcome } from '../../../src/contract/call.ts';

const key = 'secret-key-1234';

function withhold(key: string, outcome: CallOutcome) {
  return guardKey(key)(outcome);
}

function hit(body: string) {
  const facts = { status: 200, attempts: 1, durationMs: 1, companyId: 'c_1' };
  return { kind: 'hit', body: Buffer.from(body), ...facts } as const;
}

test('an answer that echoes the key is kept without it', () => {
  const outcome = withhold(key, hit(`{"id":"c_1","description":"asked with ${key}"}`));
  expect(outcome).toEqual(hit('{"id":"c_1","description":"asked with [redacted]"}'));
});

test('a key that is echoed as the id of the company is kept nowhere', () => {
  const outcome = withhold(key, { ...hit(`{"id":"${key}"}`), companyId: key });
  expect(outcome).toMatchObject({ companyId: '[redacted]' });
});

const escapeAs = (digits: (hex: string) => string) => (sign: string) =>
  `\\u${digits(sign.charCodeAt(0).toString(16).padStart(4, '0'))}`;
const small = escapeAs((hex) => hex);
const capital = escapeAs((hex) => hex.toUpperCase());

/** Ways to write the same text in JSON. */
const spellings: readonly (readonly [string, (key: string) => string])[] = [
  ['as it is', (key) => key],
  ['with all signs escaped', (key) => key.replaceAll(/./g, small)],
  ['with all signs escaped in capitals', (key) => key.replaceAll(/./g, capital)],
  ['with one letter escaped', (key) => key.replace(/[a-zA-Z0-9]/, small)],
  ['with its last letter escaped', (key) => key.replace(/[a-zA-Z0-9](?=\W*$)/, small)],
  ['with escaped slashes', (key) => key.replaceAll('/', '\\/')],
  ['as JSON within JSON', (key) => key.replaceAll(/./g, (sign) => `\\${small(sign)}`)],
];

/** Places of an answer that a key may stand in. */
const places: readonly (readonly [string, (text: string) => string])[] = [
  ['as a value', (text) => `{"id":"c_1","name":"${text}"}`],
  ['within a longer text', (text) => `{"id":"c_1","name":"a \\"b\\" é ${text}\\u00e9 c"}`],
  ['as the name of a field', (text) => `{"id":"c_1","${text}":1}`],
  ['deep within', (text) => `{"id":"c_1","a":[{"b":{"c":["x","${text}"]}}]}`],
  ['after a number', (text) => `{"id":"c_1","n":[1.5e3,-2,"${text}",12345678901234567890]}`],
];

test.each(['secret-key-1234', 'sk/Live+9f=8Qz7_tR2w', 'abcd1234', '------//'])(
  'the key %s is in no value of an answer, in whatever place and escapes it was written',
  (key) => {
    const kept = places.flatMap(([place, answer]) =>
      spellings.flatMap(([spelling, write]) => {
        const json = answer(write(key));
        const outcome = withhold(key, hit(json));
        const text = 'body' in outcome ? outcome.body.toString() : '';
        const read = JSON.stringify(JSON.parse(text));
        const isClean = !read.includes(key) && read.includes('[redacted]');
        return isClean ? [] : [`${place}, ${spelling}: ${text}`];
      }),
    );
    expect(kept).toEqual([]);
  },
);

test('of an answer that echoes the key everything else stays as it was written', () => {
  const rest = String.raw`"n":1.50e3,"twice":1,"twice":2,"long":12345678901234567890,"s":"\/\u00e9"`;
  const outcome = withhold(key, hit(`{"id":"c_1","name":"\\u0073${key.slice(1)}", ${rest} }\n`));
  expect(outcome).toEqual(hit(`{"id":"c_1","name":"[redacted]", ${rest} }\n`));
});

test('the identifiers of a company are read again where its answer held the key', () => {
  const names = { names: { fqdn: key } } as object;
  const outcome = withhold(key, { ...hit(`{"id":"c_1","fqdn":"${key}"}`), ...names });
  expect(outcome).not.toHaveProperty('names');
});

test('a web page that echoes the key is kept without it', () => {
  const page = `<p class="x" title='"'>${key}</p>`;
  const outcome = withhold(key, { ...hit(page), kind: 'miss' } as CallOutcome);
  expect(String((outcome as { body: Buffer }).body)).toBe(page.replace(key, '[redacted]'));
});

test.each(['123456789012', '123456789012.0', '-123456789012', '9123456789012'])(
  'an answer with a key of digits in it as %s can still be read',
  (number) => {
    const outcome = withhold('123456789012', hit(`{"id":"c_1","account":${number},"n":1.5}`));
    expect(outcome).toEqual(hit('{"id":"c_1","account":0,"n":1.5}'));
  },
);

test('an answer without the key keeps its bytes, even those that are no text', () => {
  const odd = { ...hit(''), body: Buffer.from([0x7b, 0xff, 0x7d]) };
  expect(withhold(key, odd)).toBe(odd);
});

test('a key of less than eight characters could be a word of the answer, and does not spoil it', () => {
  const outcome = hit('{"id":"c_1","keywords":[]}');
  expect(withhold('keyword', outcome)).toBe(outcome);
});

test('an outcome without an answer stays as it is', () => {
  const failed = { kind: 'failed', reason: 'HTTP 500', attempts: 4, durationMs: 9 } as const;
  expect(withhold(key, failed)).toBe(failed);
});
