import { expect, test } from 'vitest';
import { DossierError } from '../../../src/errors.ts';
import { packError, unpackError } from '../../../src/runtime/thread/thread-error.ts';

test('what stops a run keeps its code from one thread to the other', () => {
  const error = unpackError(structuredClone(packError(new DossierError('LEDGER_TROUBLE', 'full'))));
  expect(error).toBeInstanceOf(DossierError);
  expect(error).toMatchObject({ code: 'LEDGER_TROUBLE', message: 'full' });
});

test('a bug keeps the place where it happened, whatever was thrown', () => {
  const bug = new TypeError('x is not a function');
  expect(unpackError(packError(bug))).toMatchObject({ message: bug.message, stack: bug.stack });
  expect(unpackError(packError('text')).message).toBe('text');
});
