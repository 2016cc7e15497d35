import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { stdnum } from 'stdnum';
import { describe, expect, test } from 'vitest';
import { identifierKinds } from '../../../src/core/contract/identifier-kinds.ts';
import { maxCellLength } from '../../../src/core/identify/clean-cell.ts';
import { isReject, type Reading, readings } from '../../../src/core/identify/identifier.ts';
import { identifyCell } from '../../../src/core/identify/identify-cell.ts';
import { abnOfAcn } from '../../../src/core/identify/parse-abn.ts';
import { anyText } from '../../support/any-text.ts';

const abn = fc.integer({ min: 0, max: 999_999_999 }).map((n) => abnOfAcn(padded(n)));
const label = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8})?$/);
const ending = fc.constantFrom('com', 'com.au', 'co.nz', 'io', 'net', 'melbourne', 'sg', 'co.jp');
const domain = fc.tuple(label, ending).map(([name, suffix]) => `${name}.${suffix}`);

/** Text that looks enough like identifiers to reach deep into the parsers. */
const nearMiss = fc
  .array(
    fc.oneof(
      fc.constantFrom('https://', 'www.', 'linkedin.com/', 'company/', 'in/', '@', '.', '..', ' '),
      fc.constantFrom('ABN ', 'ACN ', 'E+', '%', '%2F', '?q=', 'urn:li:', ';', ',', '<', '>', '"'),
      fc.constantFrom('google.com/url?q=', 'com.au', 'acme', '51824753556', '\u200b', '\ud800'),
      anyText(4),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''));
const anyCell = fc.oneof(anyText(), fc.string(), nearMiss, domain, abn);

describe('whatever the cell holds', () => {
  test('reading it never throws', () => {
    fc.assert(
      fc.property(anyCell, fc.constantFrom(...readings), (text, as) => {
        const result = identifyCell(text, as);
        return isReject(result) || identifierKinds.includes(result.kind);
      }),
      { numRuns: 2_000 },
    );
  });

  test('an accepted value is accepted unchanged, by its own kind and by auto', () => {
    fc.assert(
      fc.property(anyCell, fc.constantFrom(...readings), (text, as) => {
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
      { numRuns: 1_500 },
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
});

function hostileCells(): [string, string][] {
  const pieces = ['a', '.', '1', ' 1', '@', 'a.', '%25', '/', 'abn ', '\u200b.'];
  return pieces.map((piece) => [
    JSON.stringify(piece),
    piece.repeat(Math.ceil(1_000_000 / piece.length)),
  ]);
}

function padded(number: number, length = 9): string {
  return String(number).padStart(length, '0');
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
