import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { stdnum } from 'stdnum';
import { describe, expect, test } from 'vitest';
import { identifierKinds } from '../../../src/core/contract/identifier-kinds.ts';
import { maxCellLength } from '../../../src/core/identify/clean-cell.ts';
import { isReject, type Reading, readings } from '../../../src/core/identify/identifier.ts';
import { identifyCell } from '../../../src/core/identify/identify-cell.ts';
import { abnOfAcn } from '../../../src/core/identify/parse-abn.ts';

const abn = fc.integer({ min: 0, max: 999_999_999 }).map((n) => abnOfAcn(padded(n)));
const acn = fc.integer({ min: 0, max: 99_999_999 }).map((n) => withCheckDigit(padded(n, 8)));
const label = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8})?$/);
const ending = fc.constantFrom('com', 'com.au', 'co.nz', 'io', 'net', 'melbourne', 'sg', 'co.jp');
const domain = fc.tuple(label, ending).map(([name, suffix]) => `${name}.${suffix}`);
const slug = fc.stringMatching(/^[a-z][a-z0-9]{2,9}(-[a-z0-9]{2,6})?$/);

/** Text that looks enough like identifiers to reach deep into the parsers. */
const nearMiss = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'https://',
        'www.',
        'linkedin.com/',
        'company/',
        'in/',
        '@',
        '.',
        '..',
        ' ',
      ),
      fc.constantFrom('ABN ', 'ACN ', 'E+', '%', '%2F', '?q=', 'urn:li:', ';', ',', '<', '>', '"'),
      fc.constantFrom('google.com/url?q=', 'com.au', 'acme', '51824753556', '\u200b', '\ud800'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''));
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), nearMiss, domain, abn);

describe('whatever the cell holds', () => {
  test('reading it never throws, over 100,000 random texts', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...readings), (text, as) => {
        const result = identifyCell(text, as);
        return isReject(result) || identifierKinds.includes(result.kind);
      }),
      { numRuns: 100_000 },
    );
  });

  test('an accepted value is accepted unchanged, by its own kind and by auto', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...readings), (text, as) => {
        const result = identifyCell(text, as);
        if (isReject(result)) return true;
        const isOfItsKind = [result, ...(result.alternates ?? [])].every((each) => {
          const again = identifyCell(each.value, each.kind);
          return !isReject(again) && again.kind === each.kind && typeof again.value === 'string';
        });
        const { kind, value } = result;
        const isItself = (reading: Reading) =>
          isDeepStrictEqual(identifyCell(value, reading), { kind, value });
        const isTold = kind === 'abn' || kind === 'fqdn' || kind === 'ln_url';
        return isOfItsKind && isItself(kind) && (!isTold || isItself('auto'));
      }),
      { numRuns: 30_000 },
    );
  });

  test.each(hostileCells())('a cell of a megabyte is rejected: %s', (_, cell) => {
    for (const as of readings) expect(identifyCell(cell, as)).toHaveProperty('reject');
  });

  test('a cell over the limit is rejected, unless spaces make it so long', () => {
    expect(identifyCell(`${' '.repeat(1_000_000)}acme.com`, 'fqdn')).toHaveProperty('value');
    expect(identifyCell(`acme.com/${'a'.repeat(maxCellLength)}`, 'fqdn')).toHaveProperty('reject');
  });
});

describe('check digits', () => {
  test('every ABN that is valid by construction is accepted, as the public library agrees', () => {
    fc.assert(
      fc.property(abn, (value) => {
        expect(identifyCell(value, 'abn')).toEqual({ kind: 'abn', value });
        expect(stdnum.AU?.abn?.validate(value).isValid).toBe(true);
      }),
    );
  });

  test('every wrong digit and every swap of neighbours is rejected', () => {
    fc.assert(
      fc.property(abn, (value) => {
        for (const wrong of [...singleDigitErrors(value), ...neighbourSwaps(value)]) {
          expect(identifyCell(wrong, 'abn')).toHaveProperty('reject');
        }
      }),
    );
  });

  test('no swap of neighbours can keep the sum: the weights differ by 2 or 9, never by 89', () => {
    const weights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
    const differences = weights.slice(1).map((weight, index) => weight - (weights[index] ?? 0));
    for (const difference of differences) {
      for (let digits = 1; digits <= 9; digits += 1) {
        expect((difference * digits) % 89).not.toBe(0);
      }
    }
  });

  test('an ACN gives the ABN that ends in it, and a wrong one gives none', () => {
    fc.assert(
      fc.property(acn, (digits) => {
        const result = identifyCell(digits, 'abn');
        expect(result).toEqual({ kind: 'abn', value: abnOfAcn(digits), derivedFrom: 'acn' });
        expect(stdnum.AU?.acn?.validate(digits).isValid).toBe(true);
        for (const wrong of singleDigitErrors(digits)) {
          if (!stdnum.AU?.acn?.validate(wrong).isValid) {
            expect(identifyCell(wrong, 'abn')).toHaveProperty('reject', 'abn_checksum');
          }
        }
      }),
    );
  });
});

describe('two spellings of one identifier are one value', () => {
  const spellAbn: ((digits: string) => string)[] = [
    grouped(' '),
    grouped('-'),
    grouped('.'),
    grouped(','),
    grouped('\u00a0'),
    grouped('\u2011'),
    grouped('–'),
    grouped('−'),
    (digits) => `ABN ${digits}`,
    (digits) => `A.B.N.: ${digits}`,
    (digits) => `ABN${digits}`,
    (digits) => `Acme Pty Ltd (ABN ${grouped(' ')(digits)})`,
    (digits) => `ABN ${digits} ACN ${digits.slice(2)}`,
    (digits) => `${digits}.0`,
    (digits) => `="${digits}"`,
    (digits) => `'${digits}`,
    (digits) => `“${digits}”`,
    (digits) => `${digits}\u200b`,
    (digits) => `${digits}/001`,
    (digits) => `${grouped(' ')(digits)} 004`,
    (digits) => `${digits}; ${grouped(' ')(digits)}`,
    (digits) => [...digits].map((d) => String.fromCodePoint(0xff10 + Number(d))).join(''),
    (digits) => `${digits[0]}.${digits.slice(1)}E+10`,
  ];
  test.each(spellAbn.map((spell) => [spell('51824753556'), spell] as const))('%s', (_, spell) => {
    fc.assert(
      fc.property(abn, (value) => {
        // Digits that end in zeros lose them in scientific notation.
        fc.pre(!value.endsWith('0'));
        expect(identifyCell(spell(value), 'abn')).toMatchObject({ kind: 'abn', value });
      }),
      { numRuns: 50 },
    );
  });

  const spellDomain: ((domain: string) => string)[] = [
    (name) => name.toUpperCase(),
    (name) => `www.${name}`,
    (name) => `http://${name}`,
    (name) => `https://www.${name}/about?utm_source=x#top`,
    (name) => `HTTPS://${name.toUpperCase()}:443/`,
    (name) => `//${name}/x`,
    (name) => `https//${name}`,
    (name) => `http:/${name}`,
    (name) => `http:\\\\${name}\\x`,
    (name) => `http://https://${name}`,
    (name) => `${name}.`,
    (name) => `.${name}`,
    (name) => `${name},`,
    (name) => `<${name}>`,
    (name) => `"${name}"`,
    (name) => `${name} (AU)`,
    (name) => `${name}\nhttps://www.${name}/`,
    (name) => `${name}; ${name}`,
    (name) => `Website: ${name}`,
    (name) => `jane.doe+x@${name}`,
    (name) => `mailto:jane@${name}?subject=hi`,
    (name) => `Jane Doe <jane@${name}>`,
    (name) => `\ufeff ${name}\u200b `,
    (name) => `https://www.google.com/url?q=https%3A%2F%2F${name}%2F&sa=D`,
    (name) => name.replaceAll('.', '．'),
  ];
  test.each(spellDomain.map((spell) => [spell('acme.com'), spell] as const))('%s', (_, spell) => {
    fc.assert(
      fc.property(domain, (name) => {
        const plain = identifyCell(name, 'fqdn');
        const others = [`jane@${name}`, `${name}/x`].map((text) => identifyCell(text, 'fqdn'));
        // Mail providers and platforms are rejected in some spellings only.
        fc.pre(![plain, ...others].some(isReject));
        expect(identifyCell(spell(name), 'fqdn')).toEqual(plain);
        expect(identifyCell(spell(name), 'website')).toEqual({
          kind: 'website',
          value: `https://${name}/`,
        });
      }),
      { numRuns: 50 },
    );
  });

  const spellPage: [Reading, (slug: string) => string][] = [
    ['ln_slug', (name) => name],
    ['ln_slug', (name) => name.toUpperCase()],
    ['ln_slug', (name) => `/${name}/`],
    ['ln_url', (name) => `https://www.linkedin.com/company/${name}`],
    ['ln_url', (name) => `HTTPS://AU.LINKEDIN.COM/COMPANY/${name.toUpperCase()}/`],
    ['ln_url', (name) => `linkedin.com/company/${name}/about/?viewAsMember=true`],
    ['ln_url', (name) => `m.linkedin.com/company/${name}/posts/#x`],
    ['ln_url', (name) => `https://www.linkedin.com/de-de/company/${name}/life`],
    ['ln_url', (name) => `company/${name}`],
    ['ln_url', (name) => `LinkedIn: linkedin.com/company/${name}.`],
    ['ln_url', (name) => `https://www.linkedin.com/company/${name}, see there`],
    ['ln_url', (name) => `https%3A%2F%2Fwww.linkedin.com%2Fcompany%2F${name}`],
    ['ln_url', (name) => `linkedin.com/uas/login?session_redirect=%2Fcompany%2F${name}%2F`],
    ['auto', (name) => `www.linkedin.com/company/${name}?trk=x`],
    ['auto', (name) => `www.linkedin.com/company/${name} www.linkedin.com/company/${name}/about`],
  ];
  test.each(spellPage.map(([as, spell]) => [spell('smec'), as, spell] as const))(
    '%s as %s',
    (_, as, spell) => {
      fc.assert(
        fc.property(slug, (value) => {
          fc.pre(!isReject(identifyCell(value, 'ln_slug')));
          expect(identifyCell(spell(value), as)).toEqual({ kind: 'ln_slug', value });
        }),
        { numRuns: 50 },
      );
    },
  );
});

function hostileCells(): [string, string][] {
  const pieces = [
    'a',
    '.',
    '-',
    '1',
    ' 1',
    '@',
    '<',
    'a.',
    '%25',
    '/',
    'abn ',
    '(',
    '１',
    '\u200b.',
  ];
  return pieces.map((piece) => [
    JSON.stringify(piece),
    piece.repeat(Math.ceil(1_000_000 / piece.length)),
  ]);
}

function padded(number: number, length = 9): string {
  return String(number).padStart(length, '0');
}

function withCheckDigit(digits: string): string {
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (8 - index), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

function grouped(separator: string): (digits: string) => string {
  return (digits) => digits.replace(/(?=(?:\d{3})+$)/g, separator);
}

function singleDigitErrors(digits: string): string[] {
  return [...digits].flatMap((right, index) =>
    [...'0123456789']
      .filter((wrong) => wrong !== right)
      .map((wrong) => `${digits.slice(0, index)}${wrong}${digits.slice(index + 1)}`),
  );
}

function neighbourSwaps(digits: string): string[] {
  const swaps: string[] = [];
  for (let index = 0; index + 1 < digits.length; index += 1) {
    const [left = '', right = ''] = [digits[index], digits[index + 1]];
    if (left === right) continue;
    swaps.push(`${digits.slice(0, index)}${right}${left}${digits.slice(index + 2)}`);
  }
  return swaps;
}
