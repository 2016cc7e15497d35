import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareAnswers } from '../../bench/run/prepared-answers.ts';
import { realisticCompanies } from '../../bench/service/realistic-companies.ts';
import { readAnswer } from '../../src/client/read-answer.ts';
import { readNames } from '../../src/contract/company-names.ts';
import { companyCall, peopleCall } from '../support/client-under-test.ts';
import { bodiesWith } from '../support/json-texts.ts';

const answer = (body: string, status = 200) => ({ status, headers: {}, body: Buffer.from(body) });

test.each([
  ['{"success":false,"error":{"code":"TOO_MANY_REQUESTS"}}', 429],
  ['{"success":false,"message":"Out of credits"}', 402],
  ['{"success":false,"error":401}', 401],
  ['{"success":false,"error":"Boom"}', 500],
  ['{"error":"Boom"}', 500],
  ['{"success":false}', 200],
  ['{"id":"7","error":"a field of the company"}', 200],
  ['{"id":"7"}', 200],
])('a 200 with %s is read as %i', (body, status) => {
  expect(readAnswer(companyCall, answer(body)).status).toBe(status);
});

test('other statuses are what they are', () => {
  const body = '{"success":false,"error":429}';
  expect(readAnswer(companyCall, answer(body, 404)).status).toBe(404);
});

test('an id too long for a number keeps its digits', () => {
  const { companyId } = readAnswer(
    companyCall,
    answer('{"nextGen":{"id":1},"id":98765432109876543210}'),
  );
  expect(companyId).toBe('98765432109876543210');
});

test('an id in an answer about people is nobody’s company', () => {
  const facts = readAnswer(peopleCall, answer('{"id":"req-1","records":[]}'));
  expect(facts).toMatchObject({ isPeoplePage: true });
  expect(facts).not.toHaveProperty('companyId');
});

test('what was asked is not heard back as an answer', () => {
  const body = '{"error":400,"message":"Bad: ACME.com.au, not supported"}';
  expect(readAnswer(companyCall, answer(body, 400)).said).toBe('400 Bad: …, not supported');
});

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

// Behind a byte order mark an answer is read as a whole, with everything that is in it.
test('an answer says the same whether it is read as a whole or in a few places', () => {
  const readFacts = (body: Buffer) => {
    const {
      answer: _,
      json,
      ...facts
    } = readAnswer(companyCall, { status: 200, headers: {}, body });
    return { ...facts, isJson: json !== undefined, names: readNames(json) };
  };
  const mark = Buffer.from('\uFEFF');
  fc.assert(
    fc.property(bodiesWith([...fields, ...holders], fieldsWithin), (body) => {
      fc.pre(!body.subarray(0, 3).equals(mark));
      expect(readFacts(body)).toEqual(readFacts(Buffer.concat([mark, body])));
    }),
    { numRuns: 3_000 },
  );
});

test('of the companies that we know, nothing is read but what they are called', () => {
  const prepared = prepareAnswers();
  const answers = Array.from({ length: 50 }, (_, site) => String(prepared.company(site)));
  const bodies = answers.map((text) => text.slice(text.indexOf('\r\n\r\n') + 4));
  for (const body of [...bodies, ...realisticCompanies()]) {
    const { companyId, json } = readAnswer(companyCall, answer(body));
    expect(companyId).toBe(JSON.parse(body).id);
    expect(json).not.toHaveProperty('name');
    expect(readNames(json)).toEqual(readNames(JSON.parse(body)));
  }
});
