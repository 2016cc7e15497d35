import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnswerJson } from '../../../../src/core/values/parse-json.ts';
import { companyData } from '../../../../src/engine/providers/company-data/company-data.ts';
import { companyCall } from '../../../support/client-under-test.ts';

const { presumed } = companyData;

const filler = 'x'.repeat(1_200);

/** Bodies as services send them, and as they never should. */
const bodies = fc
  .record({
    start: fc.constantFrom(
      '{"id":"c_7",',
      ' { "id" : "c_7" , ',
      '{"id":7,',
      '{"id":"",',
      '[{"id":"7",',
    ),
    next: fc.constantFrom('', '"success":false,', '"success":true,', '"id":null,', '"id":"c_8",'),
    error: fc.constantFrom('', '"error":"Company not found",', '"error":{"code":429},'),
    cutAt: fc.option(fc.nat(1_300), { freq: 3 }),
  })
  .map(({ start, next, error, cutAt }) => {
    const body = `${start}${next}${error}"name":{"text":"${filler}"}}`;
    return Buffer.from(cutAt === null ? body : `${body.slice(0, cutAt)}}`);
  });

test('a company that is presumed, and then found in the body, is one for a full judgement too', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(bodies, (body) => {
      const companyId = presumed?.companyId(body);
      if (companyId === undefined) return;
      const verdict = companyData.judge(companyCall, { status: 200, headers: {}, body }, true);
      const isRight = isRightIn(body, companyId);
      seen.add(`${isRight} ${verdict.kind}`);
      if (isRight) expect(verdict).toEqual({ kind: 'hit', companyId });
    }),
    { numRuns: 2_000 },
  );
  expect([...seen]).toEqual(
    expect.arrayContaining(['true hit', 'false hit', 'false transient', 'false miss']),
  );
});

function isRightIn(body: Buffer, companyId: string) {
  try {
    return presumed?.isRight(readAnswerJson(body), companyId) === true;
  } catch {
    return false;
  }
}

test('short bodies, and those that begin otherwise, are judged in full', () => {
  const company = { id: 'c_7', name: filler };
  const idOf = (body: unknown) => presumed?.companyId(Buffer.from(JSON.stringify(body)));
  expect(idOf(company)).toBe('c_7');
  expect([{ id: 'c_7' }, { name: filler, id: 'c_7' }, [company], filler].map(idOf)).toEqual(
    Array(4).fill(undefined),
  );
});
