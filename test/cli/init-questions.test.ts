import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askQuestions } from '../../src/cli/init.ts';
import { printedOn } from '../support/terminal.ts';

async function answer(typed: string, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  input.end(typed);
  const answers = await askQuestions({ columns: { identify: [] } }, input, output);
  return { ...answers, asked: printedOn(output) };
}

test.each([
  ['nz\ny\n', 'NZ', true],
  ['New Zealand\nno\n', 'NZ', false],
  ['\n\n', 'AU', false],
  ['Mars\nSG\nYes\n', 'SG', true],
  ['', 'AU', false],
  ['jp', 'JP', false],
])('%j answers with %s and people: %s', async (typed, country, hasPeople) => {
  expect(await answer(typed)).toMatchObject({ country, hasPeople });
});

test('a country that the service does not cover is asked for again, with those it does', async () => {
  expect((await answer('Mars\nSG\n')).asked).toContain('One of AU, NZ, SG');
});

test('nothing is asked off a terminal', async () => {
  expect(await answer('NZ\ny\n', false)).toEqual({ country: 'AU', hasPeople: false, asked: '' });
});
