import { Agent } from 'undici';
import { expect, test, vi } from 'vitest';
import { createLargeBodies } from '../../../../src/engine/client/wire/large-bodies.ts';
import { sendRequest } from '../../../../src/engine/client/wire/send-request.ts';
import { openHostileServer } from '../../../support/hostile-server.ts';

test('the timeout pauses while an answer waits for memory', async () => {
  const agent = new Agent();
  await using server = await openHostileServer({ body: 'x'.repeat(900_000) });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const request = { method: 'GET', origin: server.url, path: '/', headers: {} } as const;
  const { promise: held, resolve: hold } = Promise.withResolvers<() => void>();
  let times = 0;
  const mayGrow = (_share: object, goOn: () => void) => {
    times += 1;
    if (times === 1) hold(goOn);
    return times > 1;
  };
  const bodies = Object.assign(createLargeBodies(1), { mayGrow });
  const { signal } = new AbortController();
  const limits = { timeoutMs: 200, maxBodyBytes: 1_000_000, bodies, share: { isLarge: false } };
  const answer = sendRequest(agent, request, { signal, ...limits, onStart: () => true });
  const goOn = await held;
  await vi.advanceTimersByTimeAsync(1_000);
  goOn();
  expect((await answer).body.length).toBe(900_000);
  vi.useRealTimers();
  await agent.destroy();
});
