import { expect, test } from 'vitest';
import { readAnswerJson } from '../../../src/runtime/json/answer-json.ts';

test('a byte order mark is no part of an answer', () => {
  expect(readAnswerJson(Buffer.from('\uFEFF{"id":"é"}'))).toEqual({ id: 'é' });
});
