import { nearestWord } from '../../runtime/nearest-word.ts';
import { jobKeys } from '../job-json-schema.ts';
import type { Path } from './read-yaml.ts';

/** Keys of other tools, and the key of a job that does the same. */
export const otherWords: Readonly<Record<string, string>> = {
  apikey: 'service.key',
  backoff: 'limits.maxWait',
  baseurl: 'service.url',
  cache: 'reuse',
  credits: 'budget.perStart',
  database: 'ledger',
  db: 'ledger',
  departments: 'people.department',
  endpoint: 'service.url',
  file: 'input.path',
  formats: 'output.format',
  identifiers: 'identify',
  maxcalls: 'budget.perStart',
  maxrequests: 'budget.perStart',
  parallel: 'limits.concurrency',
  quota: 'budget.perStart',
  requestspersecond: 'limits.rate',
  retries: 'limits.attempts',
  separator: 'input.delimiter',
  size: 'people.pageSize',
  source: 'input',
  titles: 'people.position',
  token: 'service.key',
  ttl: 'reuse',
  type: 'identify[].as',
  workers: 'limits.concurrency',
};

/** The key that the user probably meant by an unknown one, in full: `rate → limits.rate`. */
export function suggestKey(parent: Path, unknown: string): string | undefined {
  const here = keysBelow(parent);
  const everywhere = jobKeys();
  const words = everywhere.map(lastWord);
  const bare = unknown.toLowerCase().replace(/[^a-z]/g, '');

  const sameWord = (keys: readonly string[]) =>
    keys.find((key) => lastWord(key).toLowerCase() === bare);
  const near = nearestWord(unknown, here.map(lastWord));
  const farther = nearestWord(unknown, words);
  return (
    sameWord(here) ??
    sameWord(everywhere) ??
    otherWords[bare] ??
    here.find((key) => lastWord(key) === near) ??
    everywhere.find((key) => lastWord(key) === farther)
  );
}

/** The keys of a group, in full: `['limits'] → limits.rate, limits.concurrency, …` */
export function keysBelow(parent: Path): string[] {
  const prefix = parent
    .map((part) => (typeof part === 'number' ? '[]' : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
  return jobKeys().filter((key) => key === (prefix ? `${prefix}.${lastWord(key)}` : lastWord(key)));
}

function lastWord(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}
