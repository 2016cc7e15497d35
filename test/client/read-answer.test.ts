import { expect, test } from 'vitest';
import { readAnswer } from '../../src/client/read-answer.ts';
import { companyCall, peopleCall } from '../support/client-under-test.ts';

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
