import { describe, expect, test } from 'vitest';
import {
  type Reading,
  readings,
  rejectAs,
  rejectCatalog,
  rejectCodes,
} from '../../../src/core/identify/identifier.ts';
import { identifyCell } from '../../../src/core/identify/identify-cell.ts';
import { parseCountry } from '../../../src/core/identify/parse-country.ts';

const examples = rejectCodes.flatMap((code) =>
  rejectCatalog[code].examples.map(({ input, as }) => [input, as, code] as const),
);

test('every reason has a sentence, a remedy and an example', () => {
  for (const code of rejectCodes) {
    expect(rejectCatalog[code].message).toMatch(/^\p{Lu}.+\.$/u);
    expect(rejectCatalog[code].fix).toMatch(/^\p{Lu}/u);
    expect(rejectCatalog[code].examples.length).toBeGreaterThan(0);
  }
});

test('the reasons are the agreed ones', () => {
  const agreed = `blank abn_checksum abn_length precision_lost unsupported_register not_a_domain
    public_suffix unknown_tld ip_address freemail platform_page userinfo multiple_values
    not_a_network_url network_person network_shortlink network_showcase network_no_company
    unsupported_country`;
  expect(rejectCodes).toEqual(agreed.split(/\s+/));
});

describe('every example of a reason', () => {
  test.each(examples)('%j as %s is rejected as %s', (input, as, code) => {
    const result = as === 'country' ? parseCountry(input) : identifyCell(input, as);
    expect(result).toEqual(rejectAs(code));
  });

  test('is read as a known kind', () => {
    const known: readonly string[] = [...readings, 'country'] satisfies (Reading | 'country')[];
    for (const [, as] of examples) expect(known).toContain(as);
  });
});
