import { copyFileSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { examineLedger } from '../../../../src/engine/ledger/care/examine-ledger.ts';
import { mergeLedger } from '../../../../src/engine/ledger/care/merge-ledger.ts';
import { type Ledger, openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { day } from '../../../support/test-job.ts';
import { openDatabase } from '../support/answers.ts';
import { answer, bodyOf, careLedger, careService, question } from './care-ledger.ts';

const newestIn = ({ calls }: Ledger, number: number) =>
  calls.newestAnswer(calls.find(question(number).key) ?? 0);

/** What a ledger answers about a company: the body of its newest answer. */
function newestOf(ledger: Ledger, number: number): string | undefined {
  return ledger.calls.body(newestIn(ledger, number)?.id ?? 0)?.toString();
}

function withLedger<Result>(path: string, work: (ledger: Ledger) => Result): Result {
  using ledger = openLedger(path);
  return work(ledger);
}

test('of two ledgers that went apart, the younger answers are the newest, and none is lost', () => {
  using care = careLedger(40);
  const other = care.in('other.db');
  copyFileSync(care.path, other);
  withLedger(care.path, (ledger) => {
    answer(ledger, [1, 2], { fetchedAt: 3_000, word: 'ours' });
    answer(ledger, [50], { fetchedAt: 2_000, word: 'ours' });
  });
  withLedger(other, (ledger) => {
    answer(ledger, [2, 3, 60, 61], { fetchedAt: 2_500, word: 'theirs' });
    ledger.inTransaction(() => ledger.calls.noteFound(careService));
  });
  const otherBytes = readFileSync(other);

  const counts = { known: 40, taken: 4, repaired: 0, damaged: 0, forgotten: 0, hashes: 0 };
  expect(mergeLedger(care.path, other)).toEqual({ ledger: care.path, from: other, ...counts });
  withLedger(care.path, (ledger) => {
    const words = [0, 1, 2, 3, 50, 60, 61].map((number) => newestOf(ledger, number));
    expect(words).toEqual([
      ...[bodyOf(0), bodyOf(1, 'ours'), bodyOf(2, 'ours'), bodyOf(3, 'theirs')].map(String),
      ...[bodyOf(50, 'ours'), bodyOf(60, 'theirs'), bodyOf(61, 'theirs')].map(String),
    ]);
    expect(ledger.calls.hasEverFound(careService)).toBe(true);
  });
  expect(examineLedger(care.path)).toMatchObject({ answers: 47, findings: [] });
  expect(readFileSync(other).equals(otherBytes)).toBe(true);

  // Once more: everything is known.
  expect(mergeLedger(care.path, other)).toMatchObject({ taken: 0, known: 44 });
  expect(examineLedger(care.path)).toMatchObject({ answers: 47, findings: [] });
});

test('an answer that is taken over serves calls for other identifiers of its company', () => {
  using care = careLedger(1);
  const other = care.in('other.db');
  const { key } = question(8);
  withLedger(other, (ledger) => void answer(ledger, [7], { aliasKeys: key }));
  expect(mergeLedger(care.path, other)).toMatchObject({ taken: 1, known: 0 });
  withLedger(care.path, (ledger) => {
    ledger.inTransaction(() => ledger.calls.gatherAliases());
    const { id = 0 } = ledger.calls.aliasAnswer(key, 9_000_000) ?? {};
    expect(String(ledger.calls.body(id))).toBe(String(bodyOf(7)));
  });
});

test('an answer from the future counts from the first start after it, or from the merge', () => {
  using care = careLedger(1);
  const other = care.in('other.db');
  const now = Date.now();
  withLedger(other, (ledger) => {
    answer(ledger, [7], { fetchedAt: now + 30 * day });
    ledger.inTransaction(() => ledger.clock.begin(now - 8 * day));
    answer(ledger, [8], { fetchedAt: now + 20 * day });
    answer(ledger, [9], { fetchedAt: now - day });
  });
  expect(mergeLedger(care.path, other)).toMatchObject({ taken: 3 });
  expect(mergeLedger(care.path, other)).toMatchObject({ taken: 0, known: 3 });
  withLedger(care.path, (ledger) => {
    const days = [7, 8, 9].map((number) => {
      const { id = 0, fetchedAt = 0 } = newestIn(ledger, number) ?? {};
      const countedAt = ledger.clock.countedAt(now)(id, fetchedAt);
      return Math.abs(Math.round((now - countedAt) / day));
    });
    expect(days).toEqual([8, 0, 1]);
  });
});

test('a damaged answer is repaired by a backup, and one that is damaged there is left out', () => {
  using care = careLedger(20);
  const backup = care.in('backup.db');
  copyFileSync(care.path, backup);
  {
    using file = openDatabase(care.path);
    file.value.exec(`update bundle set bytes = x'00' where id = 5`);
    using copy = openDatabase(backup);
    copy.value.exec(`update bundle set bytes = x'00' where id = 9`);
  }
  expect(examineLedger(care.path).findings).toHaveLength(1);
  expect(mergeLedger(care.path, backup)).toMatchObject({ taken: 0, repaired: 1, damaged: 0 });
  expect(examineLedger(care.path).findings).toEqual([]);
  withLedger(care.path, (ledger) => expect(newestOf(ledger, 4)).toBe(String(bodyOf(4))));

  using empty = careLedger(0);
  expect(mergeLedger(empty.path, backup)).toMatchObject({ taken: 19, damaged: 1 });
});

test('a ledger is not merged with itself or with another kind of file', () => {
  using care = careLedger(1);
  const codeOf = (other: string) => {
    try {
      return mergeLedger(care.path, other);
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };
  expect(codeOf(care.path)).toBe('USAGE');
  expect(codeOf(care.in('none.db'))).toBe('LEDGER_MISSING');
  expect(codeOf(care.folder)).toBe('LEDGER_TROUBLE');
});
