import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Reading } from '../../../src/core/identify/identifier.ts';
import { identifyCell } from '../../../src/core/identify/identify-cell.ts';
import { outcome } from '../../support/outcome.ts';

interface Vector {
  readonly input: string;
  readonly as: Reading;
  readonly reject?: string;
  readonly kind?: string;
  readonly value?: string;
  readonly derivedFrom?: string;
}

const vectors = readFileSync('fixtures/vectors/identifiers.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

describe('the agreed cases', () => {
  test('are all there', () => expect(vectors.length).toBeGreaterThanOrEqual(91));

  test.each(vectors)('$input as $as comes out as agreed', ({ input, as, ...expected }) => {
    const result = identifyCell(input, as);
    if (expected.reject !== undefined) {
      expect(result).toMatchObject({ reject: expected.reject, message: expect.any(String) });
      return;
    }
    const { alternates: _, ...main } = result as { alternates?: unknown };
    expect(main).toEqual(expected);
  });
});

test.each([
  ['065475149', 'abn 47065475149 from acn'],
  ['ABN 51 824 753 557', 'abn_checksum'],
  ['Acme Pty Ltd ABN 51 824 753 556', 'abn 51824753556'],
  ['0412 345 678', 'abn_length'],
  ['+61 412 345 678', 'not_a_domain'],
  ['5.18E+10', 'precision_lost'],
  ['192.168.1.1', 'ip_address'],
  ['255.255.255.255', 'ip_address'],
  ['51.824.753.556', 'abn 51824753556'],
  ['53.004.085.616', 'abn 53004085616'],
  ['9429036975273', 'unsupported_register'],
  ['201912345K', 'unsupported_register'],
  ['abn123.com', 'fqdn abn123.com'],
  ['51824753556.com.au', 'fqdn 51824753556.com.au'],
  ['acme', 'not_a_domain'],
  ['3M', 'not_a_domain'],
  ['company/smec', 'ln_slug smec'],
  ['urn:li:company:1035', 'ln_url https://www.linkedin.com/company/1035'],
  ['linkedin.com', 'fqdn linkedin.com'],
  ['https://www.linkedin.com/', 'fqdn linkedin.com'],
  ['jane@linkedin.com', 'fqdn linkedin.com'],
  ['linkedin.com/jobs/view/1', 'network_no_company'],
  ['/company/n%2Fa', 'network_no_company'],
  ['facebook.com/linkedin.com', 'platform_page'],
  ['lnkd.in/abc', 'network_shortlink'],
  ['notlinkedin.com/company/smec', 'fqdn notlinkedin.com'],
  ['acme.com, linkedin.com/company/acme', 'multiple_values'],
  ['acme.com; 51824753556', 'multiple_values'],
  ['51 824 753 556 | https://acme.com/', 'multiple_values'],
  ['https://acme.com/, ABN 51 824 753 556', 'multiple_values'],
  ['linkedin.com/company/acme\n51824753556', 'multiple_values'],
  ['acme.com; www.acme.com', 'fqdn acme.com'],
  ['ABN 53 004 085 616; ACN 004 085 616', 'abn 53004085616'],
  ['https://acme.com/a,b;c', 'fqdn acme.com'],
  ['https://www.linkedin.com/company/smec group', 'network_no_company'],
  ['facebook.com/acme', 'platform_page'],
])('%j on its own gives %s', (text, expected) => {
  expect(outcome(identifyCell(text, 'auto'))).toBe(expected);
});

test.each([
  [' c_1 ', 'id c_1'],
  ['0012', 'id 0012'],
  ['Ａ１', 'id A1'],
  ['a\u0000b', 'id ab'],
  ['n/a', 'blank'],
  ['c_1\nc_2', 'multiple_values'],
])('%j as an id of the service gives %s', (text, expected) => {
  expect(outcome(identifyCell(text, 'id'))).toBe(expected);
});
