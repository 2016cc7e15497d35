import { describe, expect, test } from 'vitest';
import { companyCall, noAbort, openTestClient, peopleCall } from '../support/client-under-test.ts';
import { openHostileServer } from '../support/hostile-server.ts';

describe('what leaves', () => {
  test.each(['', '/', '/api/v1', '/api/v1/'])('a lookup under the prefix %j', async (prefix) => {
    await using server = await openHostileServer({ body: '{"id":"7"}' });
    await using client = openTestClient(server.url + prefix);
    await client.send(companyCall, noAbort);
    expect(server.seen[0]).toMatchObject({
      method: 'GET',
      path: `${prefix.replace(/\/$/, '')}/company?fqdn=acme.com.au&country=AU`,
      headers: { authorization: 'Bearer secret-key-1234' },
    });
  });

  test('a search carries its body as JSON', async () => {
    await using server = await openHostileServer({ body: '[]' });
    await using client = openTestClient(server.url);
    await client.send(peopleCall, noAbort);
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      path: '/people/search',
      headers: { 'content-type': 'application/json' },
    });
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual(peopleCall.body);
  });
});
