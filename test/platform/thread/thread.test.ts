import { expect, test } from 'vitest';
import { DossierError } from '../../../src/core/errors.ts';
import { packError, unpackError } from '../../../src/platform/thread/thread.ts';

test('an error keeps its code from one thread to the other', () => {
  const error = unpackError(structuredClone(packError(new DossierError('LEDGER_TROUBLE', 'full'))));
  expect(error).toBeInstanceOf(DossierError);
  expect(error).toMatchObject({ code: 'LEDGER_TROUBLE', message: 'full' });
});
