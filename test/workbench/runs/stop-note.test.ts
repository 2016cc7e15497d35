import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isStopNoted, noteStop } from '../../../src/workbench/runs/stop-note.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a process is asked to stop once, and a later one of the same id is another', () => {
  using folder = temporaryFolder();
  const job = { ledger: join(folder.path, 'ledger.db'), name: 'leads' };
  const first = { pid: 7, startedAt: 1_000 };
  expect(isStopNoted(job, first)).toBe(false);
  expect(noteStop(job, first, 2_000)).toBe(true);
  expect(noteStop(job, first, 2_001)).toBe(false);
  expect(isStopNoted(job, first)).toBe(true);
  expect(isStopNoted({ ...job, name: 'others' }, first)).toBe(false);

  const second = { pid: 7, startedAt: 3_000 };
  expect(isStopNoted(job, second)).toBe(false);
  expect(noteStop(job, second, 4_000)).toBe(true);
  expect(noteStop(job, second, 4_001)).toBe(false);
});
