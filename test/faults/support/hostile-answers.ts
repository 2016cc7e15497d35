import { gzipSync } from 'node:zlib';
import type { Reaction } from '../../support/hostile-server.ts';

/** An answer of the service, and the outcome of its row. */
export interface HostileAnswer {
  readonly name: string;
  readonly status: 'matched' | 'not_found' | 'invalid' | 'failed';
  readonly reaction: Reaction;
  /** Text that the row's record must hold. */
  readonly holds?: string;
  /** It was paid for and would be no better next time, so it is not asked for again. */
  readonly isRemembered?: true;
}

const megabyte = 1024 * 1024;

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

function body(text: string | Buffer, headers: Record<string, string> = {}): Reaction {
  return { body: text, headers };
}

function matched(name: string, json: string, holds?: string): HostileAnswer {
  return { name, status: 'matched', reaction: body(json), ...(holds !== undefined && { holds }) };
}

function failed(name: string, reaction: Reaction, holds: string): HostileAnswer {
  return { name, status: 'failed', reaction, holds: `"message":"${holds}` };
}

function oversized(name: string, reaction: Reaction, holds: string): HostileAnswer {
  const record = `"reason":"oversized","message":"${holds}`;
  return { name, status: 'failed', reaction, holds: record, isRemembered: true };
}

const whole = '{"id":"c_odd","name":"Odd Pty Ltd"}';

/** Malformed answers that still hold a company. */
const companies: readonly HostileAnswer[] = [
  matched(
    'wrong types everywhere',
    '{"id":7,"name":["a"],"fqdn":{"a":1},"phones":"x","nextGen":[1],"social_media":3,"industry_codes":"none","year_founded":"long ago","network":false}',
    String.raw`\"nextGen\":[1]`,
  ),
  matched(
    'objects for lists',
    '{"id":"c_1","phones":{"a":1},"emails":{}}',
    String.raw`\"phones\":{\"a\":1}`,
  ),
  matched(
    'an id of twenty digits',
    '{"id":98765432109876543210}',
    '"company_id":"98765432109876543210"',
  ),
  matched('a number that is none', '{"id":"c_2","employee_count":1e999}'),
  matched(
    'keys that are dangerous in JavaScript',
    '{"id":"c_3","__proto__":{"id":"c_evil"},"constructor":{"prototype":1},"toString":2,"nextGen":{"__proto__":{"a":1}}}',
    String.raw`\"__proto__\":{\"id\":\"c_evil\"}`,
  ),
  matched(
    'duplicate keys',
    '{"id":"c_first","id":"c_last","name":"a","name":"b"}',
    '"company_id":"c_last"',
  ),
  matched(
    'lone surrogates and NUL',
    String.raw`{"id":"c_4","name":"a\ud800b\u0000c","\udfff":"\u0000"}`,
    'a\ufffdb\\u0000c',
  ),
  matched(
    'a hundred thousand levels',
    `{"id":"c_5","odd":${nested(100_000)}}`,
    'nested too deeply',
  ),
  matched(
    'a hundred thousand levels and a long id',
    `{"id":12345678901234567890,"odd":${nested(100_000)}}`,
    'nested too deeply',
  ),
  matched('a cell of a megabyte', `{"id":"c_6","description":"${'x'.repeat(megabyte)}"}`, 'xxxx'),
  matched('a megabyte of blanks', `${' '.repeat(megabyte)}${whole}\n`),
  matched('a byte order mark', `\ufeff${whole}`),
  matched('formulas', '{"id":"c_7","name":"=cmd|calc","description":"a\\"b\\n,c\\r\\n"}'),
  {
    name: 'whole, and ended by closing',
    status: 'matched',
    reaction: { body: whole, closeDelimited: true },
  },
];

/** JSON answers without a company. */
const withoutCompany: readonly HostileAnswer[] = [
  ['an empty list', '[]'],
  ['an empty object', '{}'],
  ['null', 'null'],
  ['an empty text', '""'],
  ['an id that is null', '{"id":null}'],
].map(([name = '', json = '']) => ({ name, status: 'not_found', reaction: body(json) }));

/** JSON that says something, but not what was asked for. */
const somethingElse: readonly HostileAnswer[] = [
  ['a list for an object', `[${whole}]`],
  ['a text', '"c_1"'],
  ['a number', '42'],
  ['an object without an id', '{"name":"Odd Pty Ltd"}'],
  ['an id that is an object', '{"id":{"value":"c_1"}}'],
  ['an id that is blank', '{"id":"  "}'],
  ['a word of maintenance', '{"status":"maintenance"}'],
].map(([name = '', json = '']) => failed(name, body(json), 'HTTP 200'));

const notWhole = 'the answer is not complete JSON';

/** Answers that cannot be read. */
const unreadable: readonly HostileAnswer[] = [
  failed(
    'a web page',
    body('<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
    notWhole,
  ),
  failed('nothing', body(''), notWhole),
  failed('text after the JSON', body(`${whole} and more`), notWhole),
  failed('zero bytes', body(Buffer.alloc(1_000)), notWhole),
  failed('UTF-16', body(Buffer.from(whole, 'utf16le')), notWhole),
  failed('cut short', { body: whole, truncate: 'content-length' }, 'connection lost'),
  failed('cut short in chunks', { body: whole, truncate: 'chunked' }, 'connection lost'),
  failed('cut short and ended by closing', { body: whole, truncate: 'close-delimited' }, notWhole),
  failed('no gzip', body(whole, { 'content-encoding': 'gzip' }), 'compressed answer damaged'),
  failed(
    'gzip that is cut short',
    body(gzipSync(whole).subarray(0, -10), { 'content-encoding': 'gzip' }),
    'compressed answer cut short',
  ),
  failed(
    'an unknown compression',
    body(whole, { 'content-encoding': 'lzma' }),
    'the answer uses an unexpected compression',
  ),
  failed(
    'compressed twice',
    body(gzipSync(gzipSync(whole)), { 'content-encoding': 'gzip, gzip' }),
    'the answer uses an unexpected compression',
  ),
  oversized(
    'a body without end',
    { body: Buffer.alloc(megabyte, ' '), endless: true },
    'the answer is larger than',
  ),
  oversized(
    'a bomb in gzip',
    body(gzipSync(Buffer.alloc(100 * megabyte, ' ')), { 'content-encoding': 'gzip' }),
    'the answer is larger than',
  ),
  oversized(
    'a bomb of values',
    body(gzipSync(`{"id":"c_8","odd":[${'{},'.repeat(megabyte)}{}]}`), {
      'content-encoding': 'gzip',
    }),
    'the answer contains more than',
  ),
];

/** Errors without a readable message. */
const withoutMessage: readonly HostileAnswer[] = [
  failed(
    'an error within an error',
    { status: 500, body: `${'{"error":'.repeat(20_000)}"x"${'}'.repeat(20_000)}` },
    'HTTP 500',
  ),
  {
    name: 'a message that is a list of lists',
    status: 'invalid',
    reaction: { status: 400, body: `{"message":${nested(50_000)}}` },
    holds: '"message":"HTTP 400"',
  },
  failed('an error in zero bytes', { status: 500, body: Buffer.alloc(100) }, 'HTTP 500'),
];

export const hostileAnswers = [
  ...companies,
  ...withoutCompany,
  ...somethingElse,
  ...unreadable,
  ...withoutMessage,
];
