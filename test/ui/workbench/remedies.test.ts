import { expect, test } from 'vitest';
import { type ErrorCode, errorCatalog, remedyOnPage } from '../../../src/core/errors.ts';

/** Of commands that the page does not start: `serve`, `load`, `init`, `identify`, `ledger` and their like. */
const inTerminalOnly: readonly ErrorCode[] = ['NODE_TOO_OLD'];

test('remedies on the page name no flag or command that has a button or a field', () => {
  const remedies = (Object.keys(errorCatalog) as ErrorCode[])
    .filter((code) => !inTerminalOnly.includes(code))
    .map((code) => `${code}: ${remedyOnPage(code)}`);
  const terminal = /[\s`]--[a-z]|command|expect: |`dossier (?:run|export|spend|check|status)/;
  expect(remedies.filter((text) => terminal.test(text))).toEqual([]);
});
