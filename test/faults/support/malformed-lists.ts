import type { ErrorCode } from '../../../src/core/errors.ts';
import { domainOf } from '../../journeys/sample-companies.ts';
import type { Seed } from './seed.ts';

/** A malformed list, and how a run over it ends. */
export interface MalformedList {
  readonly name: string;
  readonly file: string;
  readonly content: (seed: Seed) => string | Buffer;
  /** How many rows end as matched and as invalid; or the error that stops the run before a call. */
  readonly ends: { readonly matched: number; readonly invalid: number } | ErrorCode;
}

const [first, second, third] = [domainOf(1), domainOf(2), domainOf(3)] as const;
const good = `page,website\n,${first}\n,${second}\n`;

function csv(name: string, content: string | Buffer, ends: MalformedList['ends']): MalformedList {
  return { name, file: 'list.csv', content: () => content, ends };
}

function jsonl(name: string, content: string | Buffer, ends: MalformedList['ends']): MalformedList {
  return { name, file: 'list.jsonl', content: () => content, ends };
}

const matched = (rows: number, invalid = 0) => ({ matched: rows, invalid });

const csvLists: readonly MalformedList[] = [
  csv('every end of line', `page,website\r\n,${first}\n,${second}\r\n\r\n,${third}`, matched(3)),
  csv('text after a closing quote', `${good},"${third}"x\n,${third}\n`, matched(3, 1)),
  csv('a row too short and one too long', `${good},${third},,\n,a,b,c\n${third}\n`, matched(4, 1)),
  csv(
    'a letter of an older encoding',
    Buffer.from(`${good},caf\xe9.com\n`, 'latin1'),
    matched(2, 1),
  ),
  csv('a title', `Leads of March\n\n${good}`, matched(2)),
  csv('UTF-16', Buffer.from(`\ufeff${good}`, 'utf16le'), matched(2)),
  csv('a cell of two megabytes', `${good},${'x'.repeat(2 ** 21)}\n,${third}\n`, matched(3, 1)),
];

const jsonlLists: readonly MalformedList[] = [
  jsonl('lines that are no JSON', `{"website":"${first}"}\nnot JSON\n{"website":\n`, matched(1, 2)),
  jsonl('one document over many lines', `[\n  {\n    "website": "${first}"\n  }\n]\n`, matched(1)),
  jsonl(
    'a hundred thousand levels',
    `{"website":"${first}"}\n{"website":${'['.repeat(1e5)}${']'.repeat(1e5)}}\n`,
    matched(1, 1),
  ),
  jsonl(
    'dangerous keys',
    `{"website":"${first}","__proto__":{"website":"x"},"constructor":1}\n`,
    matched(1),
  ),
  jsonl(
    'lone surrogates and NUL',
    String.raw`{"website":"\ud800\u0000"}${'\n'}{"website":"${first}"}`,
    matched(1, 1),
  ),
  jsonl('more keys than columns', `{"website":"${first}"}\n{${keys(10_001)}}\n`, matched(1, 1)),
  jsonl('a byte that is no UTF-8', Buffer.from(`{"website":"caf\xe9"}\n`, 'latin1'), matched(0, 1)),
];

export const malformedLists = [...csvLists, ...jsonlLists];

function keys(count: number): string {
  return Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',');
}
