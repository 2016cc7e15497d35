import { expect, test } from 'vitest';
import {
  isListAddress,
  listAddress,
  notReadable,
  shownPath,
} from '../../../src/platform/files/local-path.ts';

test.each([
  ['lists/leads.csv', 'lists/leads.csv'],
  ['a?b#c@d.csv', 'a?b#c@d.csv'],
  [
    'https://user:secret@Lists.Example:443/in/leads.csv?sig=1#top',
    'https://lists.example/in/leads.csv',
  ],
  ['HTTPS://lists.example/a@b.csv', 'https://lists.example/a@b.csv'],
  ['https://user:se/cret@lists.example/leads.csv', 'https://lists.example/leads.csv'],
  ['ftp://user:secret@lists.example/leads.csv?x', 'ftp://lists.example/leads.csv'],
  ['s3://key:secret@lists/leads.csv', 's3://lists/leads.csv'],
  ['https:/user:secret@lists.example/leads.csv?sig=1', 'https:/lists.example/leads.csv'],
  // The key of an object may hold any sign.
  ['s3://lists/in?/a@b#c.csv', 's3://lists/in?/a@b#c.csv'],
])('%s is shown as %s', (path, shown) => expect(shownPath(path)).toBe(shown));

test.each([
  ['leads.csv', undefined],
  ['https://lists.example/leads.csv', undefined],
  ['http://localhost:8080/leads.csv', undefined],
  ['http://[::1]/leads.csv', undefined],
  ['s3://lists/leads.csv', undefined],
  ['http://lists.example/leads.csv', /only for this machine.*use https:\/\//],
  ['http://localhost.lists.example/leads.csv', /only for this machine/],
  ['https://', /not a URL/],
  ['https:/lists.example/leads.csv', /two slashes \(https:\/\/\)/],
  ['S3:lists/leads.csv', /two slashes \(S3:\/\/\).* with \.\/S3:$/],
  ['./s3:/lists/leads.csv', undefined],
  ['notes:/leads.csv', undefined],
  ['s3://lists', /s3:\/\/bucket\/path/],
  ['s3://key:secret@lists/leads.csv', /without credentials/],
  ['gs://lists/leads.csv', /gs:\/\/ is not supported; use a local path or https:\/\/ or s3/],
])('a list at %s is read, or refused with a reason', (path, reason) => {
  if (reason === undefined) expect(notReadable(path)).toBe(undefined);
  else expect(notReadable(path)).toMatch(reason);
});

test('an address is in no JSON of a job with its secrets', () => {
  const address = listAddress('https://user:secret99@lists.example/leads.csv?sig=c0ffee99');
  expect(JSON.stringify(address)).toContain('"shown":"https://lists.example/leads.csv"');
  expect(JSON.stringify(address)).not.toMatch(/secret99|c0ffee99/);
  expect(address?.reveal()).toContain('secret99');
  expect(isListAddress('leads.csv')).toBe(false);
});
