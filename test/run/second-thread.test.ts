import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openThreadFor } from '../../src/run/second-thread.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test.each([
  ['a short list', 10, false],
  ['a long list', 100_000, true],
])('%s: second thread', async (_, bytes, isThreaded) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'list.csv');
  writeFileSync(path, 'x'.repeat(bytes));
  await using thread = openThreadFor(path);
  expect(thread !== undefined).toBe(isThreaded);
});

test('a list that is piped in may be long', async () => {
  await using thread = openThreadFor('-');
  expect(thread).toBeDefined();
});
