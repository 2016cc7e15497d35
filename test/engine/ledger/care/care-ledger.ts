import { join } from 'node:path';
import { keyedCall } from '../../../../src/engine/ledger/calls/call-key.ts';
import { type Ledger, openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { callIdOf, hitWith, putAnswer } from '../support/answers.ts';

export const careService = 'https://api.example.com';

/** The question for the company with this number. */
export const question = (number: number) =>
  keyedCall(careService, {
    operation: 'company',
    identifier: { kind: 'fqdn', value: `company${number}.com.au` },
    country: 'AU',
  });

/** The body of an answer about a company, long enough to be compressed. */
export const bodyOf = (number: number, word = 'first') =>
  Buffer.from(JSON.stringify({ id: `c_${number}`, name: `${word} ${'name '.repeat(100)}` }));

/** Stores an answer about each of these companies. */
export function answer(
  ledger: Ledger,
  numbers: readonly number[],
  { fetchedAt = 1_000, word = 'first', aliasKeys = Buffer.alloc(0) as Buffer } = {},
): number[] {
  return ledger.inTransaction(() =>
    numbers.map((number) =>
      putAnswer(
        ledger,
        callIdOf(ledger, question(number)),
        hitWith({ companyId: `c_${number}`, fetchedAt, body: bodyOf(number, word), aliasKeys }),
      ),
    ),
  );
}

/** A folder with a ledger that holds answers about companies 0 up to a number. */
export function careLedger(companies = 20) {
  const folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  {
    using ledger = openLedger(path);
    answer(ledger, [...Array(companies).keys()]);
  }
  return {
    folder: folder.path,
    path,
    in: (name: string) => join(folder.path, name),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
