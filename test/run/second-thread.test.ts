import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openThreadForList } from '../../src/run/run-job.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test.each([
  ['a short list', 10, false],
  ['a long list', 100_000, true],
])('%s: second thread', async (_, bytes, isThreaded) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'list.csv');
  writeFileSync(path, 'x'.repeat(bytes));
  await using thread = await openThreadForList(path);
  expect(thread !== undefined).toBe(isThreaded);
});

test('a list that is piped in may be long', async () => {
  await using thread = await openThreadForList('-');
  expect(thread).toBeDefined();
});

test('a list that cannot be looked at may be long: its run may be resumed', async () => {
  using folder = temporaryFolder();
  const loop = join(folder.path, 'loop.csv');
  symlinkSync(loop, loop);
  await using thread = await openThreadForList(loop);
  expect(thread).toBeDefined();
});
