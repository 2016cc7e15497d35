import { expect, test } from 'vitest';
import { DossierError } from '../../src/core/errors.ts';
import { writeStopped } from '../../src/run/run-job.ts';
import type { RunExport } from '../../src/run/write-outputs.ts';

const written = { folder: '/out', rows: { total: 30, open: 20, stale: 0 } } as RunExport;

test.each([
  [
    'refused: This key is not known here.',
    'refused: This key is not known here. The files with 10',
  ],
  ['the budget is spent', 'the budget is spent. The files with 10 of 30 rows done are in '],
])('where the files are is a sentence of its own after %j', async (message, told) => {
  const error = new DossierError('KEY_REFUSED', message);
  const stopped = await writeStopped(error, async () => written, new AbortController().signal);
  expect(stopped).toMatchObject({ code: 'KEY_REFUSED', message: expect.stringContaining(told) });
});

test.each([
  [1, '9 of 30 rows done and 1 older answer are in '],
  [2, '8 of 30 rows done and 2 older answers are in '],
])('%d of the rows may keep an older answer', async (stale, told) => {
  const error = new DossierError('BUDGET_SPENT', 'the budget is spent');
  const rows = { ...written.rows, stale };
  const write = async () => ({ ...written, rows });
  expect(await writeStopped(error, write, new AbortController().signal)).toMatchObject({
    message: expect.stringContaining(told),
  });
});
