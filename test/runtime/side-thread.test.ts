import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { openSideThread, type SideTask } from '../../src/runtime/side-thread.ts';

const echo = new URL('../support/echo-task.ts', import.meta.url);
const breaking = new URL('../support/breaking-task.ts', import.meta.url);

interface Echo {
  readonly message: unknown;
  readonly data: unknown;
  readonly threadId: number;
}

async function say({ port }: SideTask, message: unknown): Promise<Echo> {
  port.postMessage(message);
  const [answer] = (await once(port, 'message')) as [Echo];
  return answer;
}

describe('the second thread', () => {
  test('does one task after the other', async () => {
    await using thread = openSideThread();
    const first = thread.begin(echo, 'one');
    const { threadId } = await say(first, 'hello');
    first.port.postMessage('close');
    await first.closed;
    const second = thread.begin(echo, 'two');
    expect(await say(second, 'hello')).toEqual({ message: 'hello', data: 'two', threadId });
  });

  test('takes a task while another waits for its beginning', async () => {
    await using thread = openSideThread();
    const waiting = thread.begin(echo);
    const { threadId } = await say(thread.begin(echo), 1);
    expect(await say(waiting, 2)).toMatchObject({ message: 2, threadId });
  });

  test('is another one after a break-down, whose reason is told to all tasks', async () => {
    await using thread = openSideThread();
    const idle = thread.begin(echo);
    const { threadId } = await say(idle, 'hello');
    const broken = thread.begin(breaking, 'go');
    broken.port.postMessage({ kind: 'go' });
    for (const task of [broken, idle]) {
      await expect(task.broken).resolves.toMatchObject({ message: 'the task broke' });
      await task.closed;
    }
    const { threadId: later } = await say(thread.begin(echo), 'hello');
    expect(later).not.toBe(threadId);
  });

  test('tells that it has ended where nothing was thrown', async () => {
    await using thread = openSideThread();
    const task = thread.begin(echo);
    task.port.postMessage('leave');
    await expect(task.broken).resolves.toMatchObject({ message: 'the second thread has ended' });
  });

  test('breaks down at a task that is not there', async () => {
    await using thread = openSideThread();
    const task = thread.begin(new URL('no-task.ts', import.meta.url));
    await expect(task.broken).resolves.toMatchObject({ code: 'ERR_MODULE_NOT_FOUND' });
  });

  test('ends with whoever opened it, whatever its tasks are at', async () => {
    const thread = openSideThread();
    const task = thread.begin(echo);
    await say(task, 'hello');
    await thread[Symbol.asyncDispose]();
    await task.closed;
    await expect(task.broken).resolves.toMatchObject({ message: 'the second thread has ended' });
  });
});
