import { describe, expect, test } from 'vitest';
import { DossierError } from '../../../../src/core/errors.ts';
import { openThread, packError, unpackError } from '../../../../src/core/runtime/thread/thread.ts';
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

  test('tells every caller why it broke down, and those who ask later', async () => {
    await using thread = openThread();
    const { ask } = await thread.open<EchoVerbs>(echo, undefined);
    const replied = ask('breakDown', 'the thread broke');
    await replied;
    await expect.poll(() => ask('say', 'hello').catch(String)).toBe('Error: the thread broke');
  });
});

test('what stops a run keeps its code from one thread to the other', () => {
  const error = unpackError(structuredClone(packError(new DossierError('LEDGER_TROUBLE', 'full'))));
  expect(error).toBeInstanceOf(DossierError);
  expect(error).toMatchObject({ code: 'LEDGER_TROUBLE', message: 'full' });
});
