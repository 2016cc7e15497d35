import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyAnswer } from '../../../src/client/judge/classify-answer.ts';
import type { CallRequest } from '../../../src/contract/call.ts';
import { companyCall, peopleCall } from '../../support/client-under-test.ts';

const calls = { company: companyCall, people: peopleCall } satisfies Record<string, CallRequest>;

function classify(
  operation: keyof typeof calls | CallRequest,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const call = typeof operation === 'string' ? calls[operation] : operation;
  return classifyAnswer(call, { status, headers, body: Buffer.from(text) });
}

const page = '<html><title>Something went wrong</title></html>';
const both = ['company', 'people'] as const;

describe.each(both)('for %s', (operation) => {
  test.each([
    // Misses.
    [404, '', 'miss'],
    [404, page, 'miss'],
    [404, { error: 404, message: 'Unknown company' }, 'miss'],
    [410, '', 'miss'],
    [204, '', 'miss'],
    [200, 'null', 'miss'],
    [200, '{}', 'miss'],
    [200, '""', 'miss'],
    [400, { error: 400, message: 'Company not found' }, 'miss'],
    [422, { error: 'no match' }, 'miss'],
    [500, { error: 'Company profile not found' }, 'miss'],
    [500, { error: { code: 'NOT_FOUND', message: 'Sorry' } }, 'miss'],
    [500, 'Company not found', 'miss'],
    [200, { success: false, error: 'Company profile not found' }, 'miss'],
    [200, { success: false, error: { code: 404, message: 'Gone' } }, 'miss'],
    [200, { success: false }, 'miss'],
    // Invalid.
    [400, { error: 400, message: 'Invalid country code' }, 'invalid'],
    [400, { error: 'Invalid country code' }, 'invalid'],
    [400, { error: { code: 1, message: 'Invalid country code' } }, 'invalid'],
    [400, page, 'invalid'],
    [400, '', 'invalid'],
    [422, { error: 422, message: 'Bad size' }, 'invalid'],
    [400, { error: 400, message: 'API key not found' }, 'invalid'],
    [413, '', 'invalid'],
    [414, page, 'invalid'],
    [200, { success: false, code: 422, message: 'Bad size' }, 'invalid'],
    // Throttled.
    [429, '', 'throttled'],
    [429, page, 'throttled'],
    [429, { error: 429, message: 'Quota of 50 requests a second exceeded' }, 'throttled'],
    [200, { success: false, code: 429 }, 'throttled'],
    [200, { success: false, error: { code: 'RATE_LIMITED', message: 'Slow down' } }, 'throttled'],
    [200, { success: false, error: 'Too many requests' }, 'throttled'],
    [200, { success: false, error: 429, id: 'req-1', records: [] }, 'throttled'],
    // Refused.
    [401, '', 'refused'],
    [401, { error: 401, message: 'Invalid key' }, 'refused'],
    [403, page, 'refused'],
    [403, { error: 'Forbidden' }, 'refused'],
    [200, { success: false, error: 401, message: 'Invalid key' }, 'refused'],
    // Quota.
    [402, '', 'quota'],
    [403, { error: 'No credits left' }, 'quota'],
    [403, { error: { code: 'QUOTA_EXCEEDED', message: 'Upgrade' } }, 'quota'],
    [400, { error: 400, message: 'Insufficient credit' }, 'quota'],
    [200, { success: false, message: 'Monthly quota exceeded' }, 'quota'],
    // Transient.
    [408, '', 'transient'],
    [425, '', 'transient'],
    [500, '', 'transient'],
    [500, page, 'transient'],
    [500, '<html><title>Not Found</title></html>', 'transient'],
    [500, { error: 500, message: 'Internal error' }, 'transient'],
    [502, page, 'transient'],
    [502, { error: 'upstream not found' }, 'transient'],
    [503, '', 'transient'],
    [504, '', 'transient'],
    [599, '', 'transient'],
    [200, '', 'transient'],
    [200, page, 'transient'],
    [200, '{"id":"7","name":"Ac', 'transient'],
    [200, '[{"person_id":', 'transient'],
    [200, { success: false, error: 'Database timeout' }, 'transient'],
    [200, { error: { code: 503, message: 'Busy' } }, 'transient'],
    [202, '{}', 'transient'],
    [206, '{"id":"7"}', 'transient'],
    // Nothing that the interface knows.
    [304, '', 'unusable'],
    [300, page, 'unusable'],
  ])('%i with %j is %s', (status, body, kind) => {
    expect(classify(operation, status, body).kind).toBe(kind);
  });

  test('503 is throttling only where it names a wait', () => {
    expect(classify(operation, 503, '', { 'retry-after': '3' }).kind).toBe('throttled');
    expect(classify(operation, 503, '').kind).toBe('transient');
  });

  test('any answer at all gets a verdict', () => {
    const body = fc.oneof(fc.json(), fc.string(), fc.constant(page));
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), body, (status, text) => {
        expect(classify(operation, status, text).kind).toBeTypeOf('string');
      }),
    );
  });
});

describe('a company', () => {
  test.each([
    ['{"id":"7"}', '7'],
    ['{"id":7}', '7'],
    ['{"id":0}', '0'],
    ['\uFEFF{"id":"c_1","error":null}', 'c_1'],
    ['{"id":12345678901234567890,"nextGen":{"id":1}}', '12345678901234567890'],
    ['{"success":true,"id":"7"}', '7'],
    ['{"id":"7","error":"a field of the company"}', '7'],
  ])('%s is a hit with the id %s', (body, companyId) => {
    expect(classify('company', 200, body)).toMatchObject({ kind: 'hit', companyId });
  });

  test.each(['{"id":null}', '{"id":""}', '{"id":"  "}', '{"id":{}}', '[]', '{"name":"Acme"}', '7'])(
    '%s has no id and is a miss',
    (body) => expect(classify('company', 200, body)).toEqual({ kind: 'miss' }),
  );

  test('what the service quotes of the question does not count as its word', () => {
    const ask = (value: string): CallRequest => ({
      operation: 'company',
      identifier: { kind: 'website', value },
      country: 'AU',
    });
    const quote = (value: string) => ({ error: 400, message: `Invalid website: ${value}` });
    for (const value of ['https://credit.com', 'https://not-found.com/no match', 'a.b(c)[credit']) {
      expect(classify(ask(value), 400, quote(value)).kind).toBe('invalid');
    }
  });
});

describe('a people search', () => {
  test.each([
    '[]',
    '[{"person_id":"1"}]',
    '{"success":true,"total":0,"records":[]}',
    '{"items":[]}',
  ])('%s is a hit', (body) => expect(classify('people', 200, body)).toEqual({ kind: 'hit' }));

  test('an id beside the people is no id of a company', () => {
    expect(classify('people', 200, { id: 'req-1', records: [] })).toEqual({ kind: 'hit' });
  });

  test('an object that holds no list is a miss', () => {
    expect(classify('people', 200, { success: true, total: 0 })).toEqual({ kind: 'miss' });
  });
});

test.each([
  [400, { error: 400, message: 'Invalid country code' }, 'Invalid country code'],
  [400, '', 'HTTP 400'],
  [401, page, 'Something went wrong'],
  [402, '', 'HTTP 402'],
])('%i with %j says %j', (status, body, message) => {
  expect(classify('company', status, body)).toMatchObject({ message });
});

test.each([
  [500, { error: 'Boom' }, 'HTTP 500: Boom'],
  [502, '', 'HTTP 502'],
  [200, { error: 'Boom' }, 'HTTP 200: Boom'],
  [200, '{"id":', 'the answer is not whole JSON'],
  [200, { success: false, error: 'Database timeout' }, 'HTTP 200: Database timeout'],
])('%i with %j failed because of %j', (status, body, reason) => {
  expect(classify('company', status, body)).toEqual({ kind: 'transient', reason });
});
