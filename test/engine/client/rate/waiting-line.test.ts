import { expect, test } from 'vitest';
import { openWaitingLine } from '../../../../src/engine/client/rate/waiting-line.ts';

const noAbort = new AbortController().signal;

test('turns are given in the order of joining', async () => {
  const line = openWaitingLine<string>();
  const turns = [line.join(noAbort), line.join(noAbort)];
  line.serve('first');
  line.serve('second');
  expect(await Promise.all(turns)).toEqual(['first', 'second']);
});

test('who gives up is out at once and takes nobody’s turn', async () => {
  const line = openWaitingLine<string>();
  const controller = new AbortController();
  const impatient = line.join(controller.signal);
  const patient = line.join(noAbort);
  controller.abort(new Error('enough'));
  await expect(impatient).rejects.toThrow('enough');
  expect(line.length).toBe(1);
  line.serve('a turn');
  expect(await patient).toBe('a turn');
});

test('the last one to give up is noticed', async () => {
  let isEmpty = false;
  const line = openWaitingLine<string>(() => {
    isEmpty = true;
  });
  const controller = new AbortController();
  const turn = line.join(controller.signal);
  controller.abort();
  await expect(turn).rejects.toThrow();
  expect(isEmpty).toBe(true);
});

test('an aborted signal does not join', async () => {
  const line = openWaitingLine<string>();
  await expect(line.join(AbortSignal.abort())).rejects.toThrow();
  expect(line.length).toBe(0);
});
