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
