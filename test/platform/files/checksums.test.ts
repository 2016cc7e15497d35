import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAtomicFile } from '../../../src/platform/files/atomic-file.ts';
import { hasherIn } from '../../../src/platform/files/checksums.ts';
import { openThread } from '../../../src/platform/thread/thread.ts';
import { createLineBuffer } from '../../../src/results/lines.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a file that a thread hashes gets the SHA-256 of its bytes, while its buffers are filled again', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'companies.csv');
  await using thread = openThread();
  const file = await openAtomicFile(path, await hasherIn(thread));
  const lines = createLineBuffer(file);
  for (let row = 0; row < 100_000; row += 1) await lines.add(`row ${row},Zürich Käse GmbH\n`);
  await lines.add(`${'long'.repeat(200_000)}\n`);
  await lines.flush();
  const { sha256, bytes } = await file.seal();
  await file.publish();
  const written = readFileSync(path);
  expect({ sha256, bytes }).toEqual({ sha256: hash('sha256', written), bytes: written.length });
});
