import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Call } from '../../../../src/core/contract/call.ts';
import { companyData } from '../../../../src/engine/providers/company-data/company-data.ts';
import { companyCall, peopleCall } from '../../../support/client-under-test.ts';

const calls = { company: companyCall, people: peopleCall } satisfies Record<string, Call>;

function classify(
  operation: keyof typeof calls | Call,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  hasEverFound = false,
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const call = typeof operation === 'string' ? calls[operation] : operation;
  return companyData.judge(call, { status, headers, body: Buffer.from(text) }, hasEverFound);
}

const page = '<html><title>Something went wrong</title></html>';
const both = ['company', 'people'] as const;

describe.each(both)('for %s', (operation) => {
  test.each([
    // Misses.
    [404, { error: 404, message: 'Unknown company' }, 'miss'],
    [404, { error: 40401, message: 'Nichts da' }, 'miss'],
    [404, { detail: 'Record does not exist' }, 'miss'],
    [404, 'Company not found', 'miss'],
    [204, '', 'miss'],
    [200, 'null', 'miss'],
    [200, { id: null, name: '' }, 'miss'],
    [200, { success: true, data: null }, 'miss'],
    [200, { message: 'Company not found' }, 'miss'],
    [400, { error: 400, message: 'Company not found' }, 'miss'],
    [500, { error: 'Company profile not found' }, 'miss'],
    [200, { success: false, error: 'Company profile not found' }, 'miss'],
    // A miss of a service that has given a hit, see below.
    [404, '', 'unproven'],
    [404, { error: 'Not Found' }, 'unproven'],
    [410, '', 'unproven'],
    [200, { success: false, error: { code: 404, message: 'Gone' } }, 'unproven'],
    // Invalid.
    [400, { error: 'Invalid country code' }, 'invalid'],
    [400, page, 'invalid'],
    [400, { error: 400, message: 'API key not found' }, 'invalid'],
    [200, { success: false, code: 422, message: 'Bad size' }, 'invalid'],
    // Throttled.
    [429, '', 'throttled'],
    [429, { error: 429, message: 'Quota of 50 requests a second exceeded' }, 'throttled'],
    [200, { success: false, code: 429 }, 'throttled'],
    [200, { success: false, error: { code: 'RATE_LIMITED', message: 'Slow down' } }, 'throttled'],
    [200, { success: false, error: 429, id: 'req-1', records: [] }, 'throttled'],
    // Refused.
    [401, '', 'refused'],
    [403, page, 'forbidden'],
    [200, { success: false, error: 401, message: 'Invalid key' }, 'refused'],
    // Quota.
    [402, '', 'quota'],
    [403, { error: { code: 'QUOTA_EXCEEDED', message: 'Upgrade' } }, 'quota'],
    [400, { error: 400, message: 'Insufficient credit' }, 'quota'],
    [200, { success: false, message: 'Monthly quota exceeded' }, 'quota'],
    // No answer of the service, whatever else lives at the address.
    [404, page, 'transient'],
    [404, 'default backend - 404', 'transient'],
    [404, { error: 40402, message: 'Nichts da' }, 'transient'],
    [404, { message: 'Route GET:/company not found' }, 'transient'],
    [404, { message: 'no Route matched with those values' }, 'transient'],
    [200, { status: 'maintenance' }, 'transient'],
    [200, { success: false }, 'transient'],
    [200, '42', 'transient'],
    // Transient.
    [425, '', 'transient'],
    [500, '<html><title>Not Found</title></html>', 'transient'],
    [500, { error: 500, message: 'Internal error' }, 'transient'],
    [502, { error: 'upstream not found' }, 'transient'],
    [200, '', 'transient'],
    [200, '{"id":"7","name":"Ac', 'transient'],
    [200, { error: { code: 503, message: 'Busy' } }, 'transient'],
    [202, '{}', 'transient'],
    [206, '{"id":"7"}', 'transient'],
    // Nothing that the interface knows.
    [304, '', 'unusable'],
  ])('%i with %j is %s', (status, body, kind) => {
    expect(classify(operation, status, body).kind).toBe(kind);
  });

  test.each([
    ['{"error":"Not Found"}', 'miss'],
    [page, 'transient'],
  ])('404 with %j from a service that has given a hit is %s', (body, kind) => {
    expect(classify(operation, 404, body, {}, true).kind).toBe(kind);
  });

  test('503 is throttling only if it names a wait', () => {
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

  test.each(['{"id":null}', '{"id":""}', '{"id":{}}', '[]'])('%s says nothing: a miss', (body) =>
    expect(classify('company', 200, body)).toEqual({ kind: 'miss' }),
  );

  test.each(['{"id":"  "}', '{"name":"Acme"}', '7', '[{"id":"7"}]'])(
    '%s says something without an id: no answer',
    (body) => expect(classify('company', 200, body).kind).toBe('transient'),
  );

  test('words of the request that the service quotes do not count', () => {
    const ask = (value: string): Call => ({
      operation: 'company',
      identifier: { kind: 'website', value },
      country: 'AU',
    });
    const quote = (value: string) => ({ error: 400, message: `Invalid website: ${value}` });
    for (const value of [
      'https://no-credit.com',
      'https://not-found.com/no match',
      'a.b(c)[credit',
    ]) {
      expect(classify(ask(value), 400, quote(value)).kind).toBe('invalid');
    }
  });
});

describe('a people search', () => {
  test.each([
    ['[]', { isEmpty: true }],
    ['[{"person_id":"1"}]', {}],
    ['{"success":true,"total":0,"records":[]}', { isEmpty: true }],
    ['{"items":[]}', { isEmpty: true }],
  ])('%s is a hit', (body, empty) =>
    expect(classify('people', 200, body)).toEqual({ kind: 'hit', ...empty }),
  );

  test('an id beside the people is not the id of a company', () => {
    expect(classify('people', 200, { id: 'req-1', records: [{}] })).toEqual({ kind: 'hit' });
  });

  test('an object without a list is not an answer', () => {
    expect(classify('people', 200, { success: true, total: 7 }).kind).toBe('transient');
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
  [200, '{"id":', 'the answer is not complete JSON'],
  [200, { success: false, error: 'Database timeout' }, 'HTTP 200: Database timeout'],
  [200, { status: 'maintenance' }, 'HTTP 200 without a usable answer'],
  [404, page, 'HTTP 404: Something went wrong (is the URL right?)'],
  [500, { errors: [{ message: 'one' }, 'two'] }, 'HTTP 500: one; two'],
  [500, { title: 'Bad', detail: 'Too large' }, 'HTTP 500: Too large'],
  // Words that are wrapped without end do not exhaust the stack.
  [500, `${'{"error":'.repeat(50_000)}"x"${'}'.repeat(50_000)}`, 'HTTP 500'],
  [500, `{"message":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'HTTP 500'],
])('an answer fails with its reason: %#', (status, body, reason) => {
  expect(classify('company', status, body)).toEqual({ kind: 'transient', reason });
});
