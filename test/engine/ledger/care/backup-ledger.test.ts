import { chmodSync, existsSync, linkSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { backupLedger } from '../../../../src/engine/ledger/care/backup-ledger.ts';
import { examineLedger } from '../../../../src/engine/ledger/care/examine-ledger.ts';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { answer, careLedger } from './care-ledger.ts';

const never = new AbortController().signal;

function backup(
  from: string,
  to: string,
  options: { isForced?: boolean; signal?: AbortSignal } = {},
) {
  return backupLedger(from, to, {
    isForced: false,
    signal: never,
    onProgress() {},
    ...options,
  });
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );

test('a backup is one whole file with the rights of the ledger, made while the ledger is written', async () => {
  using care = careLedger(500);
  chmodSync(care.path, 0o600);
  using ledger = openLedger(care.path);
  const copy = care.in('deep/er/copy.db');
  let answered = 500;
  const { answers, bytes } = await backupLedger(care.path, copy, {
    isForced: false,
    signal: never,
    // Each commit would start the copy anew if it did not hold one moment.
    onProgress: () => void answer(ledger, [answered++], { fetchedAt: 2_000 }),
  });
  expect(answered).toBeGreaterThan(500);
  expect(answers).toBe(500);
  expect(examineLedger(copy)).toEqual({ path: copy, answers: 500, findings: [] });
  const { size, mode } = statSync(copy);
  expect({ size, mode: mode & 0o777 }).toEqual({ size: bytes, mode: 0o600 });
  expect(readdirSync(care.in('deep/er'))).toEqual(['copy.db']);
});

test('an older backup is replaced only with force, and the ledger itself never', async () => {
  using care = careLedger();
  const copy = care.in('copy.db');
  await backup(care.path, copy);
  expect(await codeOf(backup(care.path, copy))).toBe('FILE_EXISTS');
  {
    using ledger = openLedger(care.path);
    answer(ledger, [100]);
  }
  expect(await backup(care.path, copy, { isForced: true })).toMatchObject({ answers: 21 });
  for (const isForced of [false, true]) {
    expect(await codeOf(backup(care.path, care.path, { isForced }))).toBe('USAGE');
    expect(await codeOf(backup(care.path, care.folder, { isForced }))).toBe('FILE_UNWRITABLE');
  }
  linkSync(copy, care.in('second.db'));
  expect(await codeOf(backup(care.path, care.in('second.db')))).toBe('FILE_EXISTS');
});

test('a backup that is stopped, or of a ledger that is damaged or missing, leaves nothing behind', async () => {
  using care = careLedger();
  const copy = care.in('copies/copy.db');
  const stopping = AbortSignal.abort(new Error('stopped'));
  await expect(backup(care.path, copy, { signal: stopping })).rejects.toThrow('stopped');
  expect(readdirSync(care.in('copies'))).toEqual([]);
  expect(await codeOf(backup(care.in('none.db'), copy))).toBe('LEDGER_MISSING');
  expect(existsSync(care.in('none.db'))).toBe(false);
  writeFileSync(care.in('text.db'), 'no database at all '.repeat(1_000));
  expect(await codeOf(backup(care.in('text.db'), copy))).toBe('LEDGER_DAMAGED');
  expect(await codeOf(backup(care.path, `${care.path}/copy.db`))).toBe('FILE_UNWRITABLE');
});
