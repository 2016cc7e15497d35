import { expect, test } from 'vitest';
import { openWhenNeeded } from '../../../src/run/calls/open-when-needed.ts';
import type { ServiceClient } from '../../../src/run/run-parts.ts';

const call = {
  operation: 'company',
  identifier: { kind: 'fqdn', value: 'acme.com' },
  country: 'AU',
} as const;
const { signal } = new AbortController();

/** A client that notes what is done with it. */
function notedClient() {
  const notes: string[] = [];
  const client: ServiceClient = {
    send: async () => {
      notes.push('sent');
      return { kind: 'miss', status: 404, body: Buffer.alloc(0), attempts: 1, durationMs: 1 };
    },
    stop: () => void notes.push('stopped'),
    [Symbol.asyncDispose]: async () => void notes.push('closed'),
  };
  const open = async () => {
    notes.push('opened');
    return client;
  };
  return { notes, open };
}

test('with nothing to ask, no client is opened', async () => {
  const { notes, open } = notedClient();
  {
    await using _client = openWhenNeeded(open);
  }
  expect(notes).toEqual([]);
});

test('the first call opens it, once for all calls, and it is closed in the end', async () => {
  const { notes, open } = notedClient();
  {
    await using client = openWhenNeeded(open);
    await Promise.all([client.send(call, signal), client.send(call, signal)]);
  }
  expect(notes).toEqual(['opened', 'sent', 'sent', 'closed']);
});

test('after a stop nothing leaves any more, opened or not', async () => {
  const { notes, open } = notedClient();
  const reason = new Error('stopped by hand');
  const idle = openWhenNeeded(open);
  idle.stop(reason);
  await expect(idle.send(call, signal)).rejects.toBe(reason);
  expect(notes).toEqual([]);

  const busy = openWhenNeeded(open);
  await busy.send(call, signal);
  busy.stop(reason);
  await expect(busy.send(call, signal)).rejects.toBe(reason);
  expect(notes).toEqual(['opened', 'sent', 'stopped']);
});

test('what keeps it from being opened is told to whoever sends, and closing is quiet', async () => {
  const trouble = new Error('no key');
  await using client = openWhenNeeded(() => Promise.reject(trouble));
  await expect(client.send(call, signal)).rejects.toBe(trouble);
});
