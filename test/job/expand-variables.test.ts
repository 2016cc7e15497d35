import { expect, test } from 'vitest';
import { expandVariables } from '../../src/job/read-address.ts';

const env = { CITY: 'Perth', EMPTY: '', SECRET: 's3cret' };

test.each([
  [`\${CITY}`, 'Perth', true],
  [`\${NONE:-Hobart}`, 'Hobart', true],
  [`\${EMPTY:-Hobart}`, 'Hobart', true],
  [`\${NONE:-}`, '', true],
  [`\${CITY:-Hobart}`, 'Perth', true],
  [`$$\{CITY}`, `\${CITY}`, false],
  ['US$ 5, $CITY', 'US$ 5, $CITY', false],
])('%j becomes %j', (written, text, isExpanded) => {
  expect(expandVariables(written, env)).toEqual({ text, isExpanded });
});

test.each([
  [`\${NONE}`, 'NONE is not set'],
  [`\${EMPTY}`, 'EMPTY is empty'],
  [`\${CITY`, 'a variable is written'],
])('%j is a problem, never an empty text', (written, problem) => {
  expect(expandVariables(written, env)).toMatchObject({
    problem: expect.stringContaining(problem),
  });
});

test('the value of a variable is not expanded again', () => {
  expect(expandVariables(`\${A}`, { A: `\${B} $$`, B: 'x' })).toEqual({
    text: `\${B} $$`,
    isExpanded: true,
  });
});
