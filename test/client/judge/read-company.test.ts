import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareAnswers } from '../../../bench/run/prepared-answers.ts';
import { realisticCompanies } from '../../../bench/service/realistic-companies.ts';
import { classifyAnswer } from '../../../src/client/judge/classify-answer.ts';
import { readCompany } from '../../../src/client/judge/read-company.ts';
import { readNames } from '../../../src/contract/company-names.ts';
import { companyCall } from '../../support/client-under-test.ts';
import { bodiesWith } from '../../support/json-texts.ts';

const fields = [
  'id',
  'id',
  'success',
  'error',
  'message',
  'fqdn',
  'website',
  'network',
  'linkedin',
];
const fieldsWithin = ['abn', 'acn', 'network', 'linkedin', 'code', 'message'];
const holders = ['industry_codes', 'social_media'];

// Behind a byte order mark an answer is parsed as a whole, with everything that is in it.
test('an answer means the same whether it is parsed as a whole or read in a few places', () => {
  const classify = (body: Buffer) =>
    classifyAnswer(companyCall, { status: 200, headers: {}, body }, false);
  const mark = Buffer.from('\uFEFF');
  fc.assert(
    fc.property(bodiesWith([...fields, ...holders], fieldsWithin), (body) => {
      fc.pre(!body.subarray(0, 3).equals(mark));
      expect(classify(body)).toEqual(classify(Buffer.concat([mark, body])));
    }),
    { numRuns: 3_000 },
  );
});

test('companies as services give them are read without parsing the whole', () => {
  const prepared = prepareAnswers();
  const answers = Array.from({ length: 50 }, (_, site) => String(prepared.company(site)));
  const bodies = answers.map((text) => text.slice(text.indexOf('\r\n\r\n') + 4));
  for (const body of [...bodies, ...realisticCompanies()]) {
    const company = JSON.parse(body);
    const expected = { companyId: company.id, names: readNames(company) };
    expect(readCompany(Buffer.from(body))).toEqual(expected);
  }
});
