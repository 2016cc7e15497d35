import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { errorCatalog } from '../../src/core/errors.ts';
import { packagePath } from '../../src/platform/package-path.ts';
import { asPrinted, readConsoleBlocks } from '../support/console-blocks.ts';
import { type RanCommand, runConsole, timeoutMs } from '../support/run-console.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const shown = readConsoleBlocks(readFileSync(packagePath('README.md'), 'utf8'));

test('README shows commands at all', () => {
  expect(shown.filter(({ output }) => output !== undefined).length).toBeGreaterThan(0);
});

describe('the commands of README', () => {
  let ran: RanCommand[] = [];

  beforeAll(async () => {
    using folder = temporaryFolder();
    ran = await runConsole(shown, folder.path);
  }, timeoutMs + 5_000);

  test.each(shown.map((some, index) => ({ ...some, index })))(
    'line $line: $command',
    ({ output, varies, index }) => {
      const { printed = '', exitCode } = ran[index] ?? {};
      const code = /^dossier: (?<code>[A-Z_]+):/m.exec(output ?? '')?.groups?.code;
      const expected = code ? errorCatalog[code as keyof typeof errorCatalog].exitCode : 0;
      expect(exitCode, printed).toBe(expected);
      if (output === undefined) return;
      const compared = asPrinted(output, printed, varies);
      expect(compared.printed).toBe(compared.shown);
    },
  );
});

describe('what a document shows', () => {
  const printed =
    'leads: 204 rows done in 3s\n\n  calls made    88\n  started 2026-01-01 10:00 UTC\n';

  test.each([
    'leads: 204 rows done in 2s\n\n  calls made    88\n  started 2024-12-31 23:59 UTC',
    'leads: … rows done in 3s\n\n  calls made …\n…',
  ])('is right if only times and left-out parts differ: %j', (text) => {
    const compared = asPrinted(text, printed);
    expect(compared.shown).toBe(compared.printed);
  });

  test.each([
    'leads: 204 rows done in 2s\n\n  calls made    89\n  started 2024-12-31 23:59 UTC',
    '…\n  calls made    88',
  ])('is wrong if a number, a word or a line differs: %j', (text) => {
    const compared = asPrinted(text, printed);
    expect(compared.shown).not.toBe(compared.printed);
  });
});
