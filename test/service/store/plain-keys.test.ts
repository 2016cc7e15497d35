import fc from 'fast-check';
import { expect, test } from 'vitest';
import { identifierKinds } from '../../../src/contract/identifier-kinds.ts';
import { companyKeys, lookupKeys, plainKey } from '../../../src/service/company-keys.ts';

const label = fc.stringMatching(/^[a-z0-9]{1,12}(?:-[a-z0-9]{1,6}){0,2}$/);
const suffix = fc.constantFrom(
  ...['com', 'com.au', 'co.nz', 'au', 'sg', 'co.uk', 'github.io', 'blogspot.com', 'example', 'zz'],
);
const known = fc.constantFrom(
  ...['facebook.com', 'linkedin.com', 'google.com', 'gmail.com', 'bit.ly', 'lnkd.in', 'com.au'],
  ...['sites.google.com', 'wixsite.com', 'shop.acme.com.au', 'www2.acme.com', '1.2.3.4', '1.com'],
);
const host = fc.oneof(
  known,
  fc
    .tuple(fc.array(label, { minLength: 1, maxLength: 2 }), suffix)
    .map(([labels, end]) => [...labels, end].join('.')),
);
const spelled = {
  id: fc.oneof(label, fc.string()),
  abn: fc.oneof(fc.stringMatching(/^\d{11}$/), fc.constant('51824753556'), fc.string()),
  fqdn: fc.oneof(host, fc.string()),
  website: fc.tuple(fc.constantFrom('http://', 'https://', 'https://www.', ''), host).map(join),
  ln_slug: fc.oneof(label, fc.stringMatching(/^\d{1,9}$/), fc.string()),
  ln_url: label.map((slug) => `https://www.linkedin.com/company/${slug}`),
};

function join(parts: readonly string[]): string {
  return parts.join('');
}

test.each(identifierKinds)('a plain %s has the first key that cleaning would give', (kind) => {
  fc.assert(
    fc.property(spelled[kind], (text) => {
      const plain = plainKey(kind, text);
      if (plain === undefined) return;
      const [first] = lookupKeys(kind, text);
      // Pages of a platform give no key at all; no company is stored under them either.
      if (first) expect(first).toEqual(plain);
      else
        expect(companyKeys({ id: 'c', [kind]: text })).toMatchObject({ fqdn: null, website: null });
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['id', 'c_hsjbax7u'],
  ['abn', '57961803396'],
  ['fqdn', 'acme-sample.com.au'],
  ['website', 'https://www.acme-sample.com.au/'],
  ['ln_slug', 'acme-sample'],
  ['ln_url', 'https://www.linkedin.com/company/acme-sample'],
] as const)('%s is plain as Dossier asks for it', (kind, text) => {
  expect(plainKey(kind, text)).toEqual(lookupKeys(kind, text)[0]);
});

test('a page number with leading zeros has to be cleaned first', () => {
  expect(plainKey('ln_slug', '01035')).toBeUndefined();
  expect(lookupKeys('ln_slug', '01035')).toEqual([plainKey('ln_slug', '1035')]);
});
