import { expect, test } from 'vitest';
import { looksLikeData } from '../../src/job/looks-like-data.ts';

test.each([
  'name,website\nAcme,acme.com\n',
  'name;website\r\nAcme;https://acme.com\r\n',
  'Company\tABN\nAcme\t51 824 753 556\n',
  '{"abn":"51824753556"}\n{"abn":"53004085616"}\n',
  'acme.com\nexample.com\n',
  '"Name","Note: internal"\n"Acme","x"\n',
])('%j is data', (text) => expect(looksLikeData(text)).toBe(true));

test.each(['name: x\ninput: {path: a\n', '# a job\nname x\n', '---\nname, x\n', 'hello'])(
  '%j is a job with a mistake',
  (text) => expect(looksLikeData(text)).toBe(false),
);
