import { expect, test } from 'vitest';
import {
  type Ledger,
  openLedger,
  openLedgerToRead,
} from '../../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { hitWith, putAnswer } from '../support/answers.ts';

const keyOf = (name: string) => Buffer.from(name.padEnd(16));
const put = (ledger: Ledger, ...names: string[]) =>
  putAnswer(ledger, 1, hitWith({ aliasKeys: Buffer.concat(names.map(keyOf)) }));
const found = (ledger: Ledger | undefined, name: string, before = 2_000) =>
  ledger?.calls.aliasAnswer(keyOf(name), before)?.id;

test('of two answers about a company the newer one is found, gathered together or not', () => {
  using ledger = openLedger(':temporary:');
  put(ledger, 'abn');
  const second = put(ledger, 'abn');
  ledger.calls.gatherAliases();
  expect(found(ledger, 'abn')).toBe(second);
  const third = put(ledger, 'abn', 'fqdn');
  ledger.calls.gatherAliases();
  expect(found(ledger, 'abn')).toBe(third);
});

test('an identifier that two companies carry leads to neither, gathered or not', () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/ledger.db`;
  using ledger = openLedger(path);
  const putOf = (companyId: string, fetchedAt: number, ...names: string[]) =>
    putAnswer(
      ledger,
      1,
      hitWith({ companyId, fetchedAt, aliasKeys: Buffer.concat(names.map(keyOf)) }),
    );
  const first = putOf('c_1', 1_000, 'abn', 'slug');
  ledger.calls.gatherAliases();
  putOf('c_2', 1_500, 'abn', 'fqdn');
  using reader = openLedgerToRead(path);
  expect(found(reader, 'abn')).toBeUndefined();
  ledger.calls.gatherAliases();
  expect(found(ledger, 'abn')).toBeUndefined();
  expect(found(ledger, 'slug')).toBe(first);
  // Before the second company was known, the identifier led to the first.
  for (const at of [ledger, reader]) expect(found(at, 'abn', 1_500)).toBe(first);
});

test('a damaged answer is found under no name, gathered or not', () => {
  using ledger = openLedger(':temporary:');
  const first = put(ledger, 'abn');
  ledger.calls.gatherAliases();
  const second = put(ledger, 'fqdn');
  for (const answerId of [first, second]) ledger.calls.discardAnswer(answerId);
  ledger.calls.gatherAliases();
  expect(found(ledger, 'abn')).toBeUndefined();
  expect(found(ledger, 'fqdn')).toBeUndefined();
});
