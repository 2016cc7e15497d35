import { expect, test } from 'vitest';
import { guardKey } from '../../../../src/engine/client/judge/judge-attempt.ts';

const key = 'secret-key-1234';

function withhold(key: string, body: string) {
  return guardKey(key)(Buffer.from(body)).toString();
}

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
  'the key %s is removed from every value of an answer, however it was escaped',
  (key) => {
    const kept = places.flatMap(([place, answer]) =>
      spellings.flatMap(([spelling, write]) => {
        const text = withhold(key, answer(write(key)));
        const read = JSON.stringify(JSON.parse(text));
        const isClean = !read.includes(key) && read.includes('[redacted]');
        return isClean ? [] : [`${place}, ${spelling}: ${text}`];
      }),
    );
    expect(kept).toEqual([]);
  },
);

test('an answer that echoes the key is otherwise unchanged', () => {
  const rest = String.raw`"n":1.50e3,"twice":1,"twice":2,"long":12345678901234567890,"s":"\/\u00e9"`;
  const body = withhold(key, `{"id":"c_1","name":"\\u0073${key.slice(1)}", ${rest} }\n`);
  expect(body).toBe(`{"id":"c_1","name":"[redacted]", ${rest} }\n`);
});

test.each(['123456789012', '123456789012.0', '-123456789012', '9123456789012'])(
  'an answer with a key of digits in it as %s can still be read',
  (number) => {
    const body = withhold('123456789012', `{"id":"c_1","account":${number},"n":1.5}`);
    expect(body).toBe('{"id":"c_1","account":0,"n":1.5}');
  },
);

test('an answer without the key keeps its bytes, even invalid text', () => {
  const odd = Buffer.from([0x7b, 0xff, 0x7d]);
  expect(guardKey(key)(odd)).toBe(odd);
});

test('a key of less than eight characters could be a word of the answer, and does not spoil it', () => {
  const body = '{"id":"c_1","keywords":[]}';
  expect(withhold('keyword', body)).toBe(body);
});
