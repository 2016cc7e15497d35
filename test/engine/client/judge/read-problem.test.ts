import { expect, test } from 'vitest';
import { readProblem } from '../../../../src/engine/client/judge/read-facts.ts';

test.each([
  ['the documented object', { error: 400, message: 'Invalid country' }, 'Invalid country', '400'],
  [
    'a text under error',
    { error: 'Company profile not found' },
    'Company profile not found',
    undefined,
  ],
  [
    'code and message under error',
    { error: { code: 'RATE', message: 'Slow down' } },
    'Slow down',
    'RATE',
  ],
  ['a number as inner code', { error: { code: 429, message: 'Slow' } }, 'Slow', '429'],
  ['code beside message', { success: false, code: 429, message: 'Slow' }, 'Slow', '429'],
  ['one word under error', { error: 'NOT_FOUND' }, 'NOT_FOUND', 'NOT_FOUND'],
  ['a word with a message', { error: 'invalid_key', message: 'No' }, 'No', 'invalid_key'],
  [
    'problem details',
    { title: 'Bad', detail: 'Size is too large', status: 400 },
    'Size is too large',
    '400',
  ],
  ['a list of errors', { errors: [{ message: 'one' }, 'two'] }, 'one; two', undefined],
  ['a bare JSON text', 'Nope', 'Nope', undefined],
  ['an empty object', {}, '', undefined],
  ['null', null, '', undefined],
  ['an array', [], '', undefined],
])('reads %s', (_form, json, message, code) => {
  const problem = readProblem(json, '');
  expect(problem.message).toBe(message);
  expect(problem.code).toBe(code ?? '');
});

test('bare text is a message', () => {
  expect(readProblem(undefined, ' Company not found\n')).toMatchObject({
    message: 'Company not found',
    isSpecific: true,
  });
});

test('of a web page only the title is read, and it is not taken for the service’s word', () => {
  const page = '<!doctype html><html><title>404 Not Found</title><body>nginx</body></html>';
  expect(readProblem(undefined, page)).toMatchObject({
    message: '404 Not Found',
    isSpecific: false,
  });
  expect(readProblem(undefined, '<html>')).toMatchObject({ message: '', isSpecific: false });
});

test('nothing is nothing', () => {
  expect(readProblem(undefined, ' ')).toMatchObject({ message: '', isSpecific: false });
});

test.each([
  ['an error in an error', `${'{"error":'.repeat(50_000)}"x"${'}'.repeat(50_000)}`],
  ['a list in a list', `{"message":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
])('%s without end says nothing', (_form, text) => {
  expect(readProblem(JSON.parse(text), text).message).toBe('');
});
