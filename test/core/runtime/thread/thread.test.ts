import { describe, expect, test } from 'vitest';
import { DossierError } from '../../../../src/core/errors.ts';
import {
  openThread,
  packError,
  siblingModule,
  unpackError,
} from '../../../../src/core/runtime/thread/thread.ts';
import type { EchoVerbs } from '../../../support/echo-verbs.ts';

const echo = new URL('../../../support/echo-verbs.ts', import.meta.url);

describe('the second thread', () => {
  test('serves several modules, each with what it was opened with', async () => {
    await using thread = openThread();
    const one = await thread.open<EchoVerbs>(echo, 'one');
    const two = await thread.open<EchoVerbs>(echo, 'two');
    const { threadId } = await one.ask('say', 'hello');
    expect(await two.ask('say', 'hello')).toEqual({ request: 'hello', data: 'two', threadId });
  });

  test('replies in the order of asking', async () => {
    await using thread = openThread();
    const { ask } = await thread.open<EchoVerbs>(echo, undefined);
    const replies: unknown[] = [];
    await Promise.all(
      [1, 2, 3].map(async (number) => replies.push((await ask('say', number)).request)),
    );
    expect(replies).toEqual([1, 2, 3]);
  });

  test('takes bytes without copying them', async () => {
    await using thread = openThread();
    const { ask } = await thread.open<EchoVerbs>(echo, undefined);
    const bytes = Uint8Array.of(1, 2, 3);
    expect(await ask('reverse', bytes, [bytes.buffer])).toEqual(Uint8Array.of(3, 2, 1));
    expect(bytes).toHaveLength(0);
  });

  test('survives a verb that fails, whose error reaches the caller', async () => {
    await using thread = openThread();
    const { ask } = await thread.open<EchoVerbs>(echo, undefined);
    await expect(ask('fail', 'no luck')).rejects.toThrow('no luck');
    expect(await ask('say', 'still here')).toMatchObject({ request: 'still here' });
  });

  test('tells every caller why it broke down, and those who ask later', async () => {
    await using thread = openThread();
    const { ask } = await thread.open<EchoVerbs>(echo, undefined);
    const replied = ask('breakDown', 'the thread broke');
    await replied;
    await expect.poll(() => ask('say', 'hello').catch(String)).toBe('Error: the thread broke');
  });

  test('tells that it has ended where nothing was thrown', async () => {
    await using thread = openThread();
    const { ask } = await thread.open<EchoVerbs>(echo, undefined);
    await expect(ask('leave', undefined)).rejects.toThrow('the second thread has ended');
  });

  test('refuses a module that is not there', async () => {
    await using thread = openThread();
    const missing = new URL('no-verbs.ts', import.meta.url);
    await expect(thread.open(missing, undefined)).rejects.toThrow('no-verbs.ts');
  });

  test('ends with its owner, whatever it is asked', async () => {
    const thread = openThread();
    const { ask } = await thread.open<EchoVerbs>(echo, undefined);
    await thread[Symbol.asyncDispose]();
    await expect(ask('say', 'hello')).rejects.toThrow('the second thread has ended');
  });
});

test.each(['ts', 'js'])('beside a .%s module stands another of the same kind', (kind) => {
  const found = siblingModule(`file:///package/runtime/thread.${kind}`, 'serve-thread');
  expect(found.href).toBe(`file:///package/runtime/serve-thread.${kind}`);
});

test('what stops a run keeps its code from one thread to the other', () => {
  const error = unpackError(structuredClone(packError(new DossierError('LEDGER_TROUBLE', 'full'))));
  expect(error).toBeInstanceOf(DossierError);
  expect(error).toMatchObject({ code: 'LEDGER_TROUBLE', message: 'full' });
});

test('a bug keeps the place where it happened, whatever was thrown', () => {
  const bug = new TypeError('x is not a function');
  expect(unpackError(packError(bug))).toMatchObject({ message: bug.message, stack: bug.stack });
  expect(unpackError(packError('text')).message).toBe('text');
});
