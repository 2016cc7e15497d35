import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examineLedger } from '../../src/engine/ledger/care/examine-ledger.ts';
import { openNamesToRead } from '../../src/engine/ledger/open-ledger.ts';
import { openDatabase } from '../engine/ledger/support/answers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { exportOf, jobIn, runNight, tableIn } from './nights.ts';

/** Changes a bit, as a bad disk does; text stays text. */
function flip(value: unknown): string | Buffer {
  const bytes = Buffer.from(value as string | Buffer);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return typeof value === 'string' ? bytes.toString() : bytes;
}

test.each([
  ['list_block', 'row_ids'],
  ['row', 'cells'],
  ['row', 'key'],
  ['row', 'candidates'],
  ['tally', 'bytes'],
])('%s.%s that has changed on the disk gives no wrong file', async (table, column) => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1);
  await runNight(job, 2);
  const companies = tableIn(job, 'companies');
  {
    using db = openDatabase(job.ledger);
    db.value.pragma('ignore_check_constraints = on');
    db.value.function('flip', (value) => flip(value));
    db.value.exec(`update ${table} set ${column} = flip(${column})`);
  }
  // A tally is made anew from the records.
  const isHarmless = table === 'tally';
  expect(examineLedger(job.ledger).findings.length > 0).toBe(!isHarmless);
  const path = join(folder.path, 'again');
  const codeOf = ({ code }: { code?: string }) => code;
  const exported = await exportOf(job, { path }).then(() => 'written', codeOf);
  const ran = await runNight(job, 3).then(({ asked }) => `${asked.length} calls`, codeOf);
  expect([exported, ran]).toEqual(
    isHarmless ? ['written', '0 calls'] : ['LEDGER_DAMAGED', 'LEDGER_DAMAGED'],
  );
  expect(tableIn(job, 'companies')).toEqual(companies);
});

test('an outcome that has changed on the disk shows no other company, and the next night fixes it', async () => {
  const changes = ['row_id = 99', `message = ''`, 'call_id = 1, answer_id = 1', 'changed_run = 0'];
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1);
  const [companies, people] = ['companies', 'people'].map((table) => tableIn(job, table));
  const shown = ({ changed_at: _, ...record }: Record<string, string>) => record;
  for (const [index, change] of changes.entries()) {
    {
      using db = openDatabase(job.ledger);
      db.value.exec(`
        update outcome set ${change}
        where (row_id, run_id) = (select row_id, max(run_id) from outcome where row_id = 2)`);
    }
    expect(examineLedger(job.ledger).findings, change).toContainEqual(
      expect.objectContaining({ finding: 'outcomes that do not match their checksum: 1' }),
    );
    const path = join(folder.path, 'again');
    const again = { ...job, output: { ...job.output, path } };
    await exportOf(job, { path });
    const others = tableIn(again, 'companies').filter(
      (record, row) => record.company_id !== companies?.[row]?.company_id,
    );
    // A row that has lost its outcome is open.
    expect(others, change).toEqual([
      expect.objectContaining({ row_number: '2', company_id: '', matched_by: '' }),
    ]);
    expect(others[0]?.status).toMatch(/^(failed|open)$/);
    expect(tableIn(again, 'people').map(({ row_numbers }) => row_numbers)).not.toContain('2');

    const next = await runNight(job, 1);
    expect(next.asked).toEqual([]);
    expect(tableIn(job, 'companies').map(shown), change).toEqual(companies?.map(shown));
    expect(tableIn(job, 'people').map(shown), change).toEqual(people?.map(shown));
    using db = openDatabase(job.ledger);
    db.value.exec(`delete from outcome where row_id = 99`);
    db.value.exec(`delete from outcome where row_id = 2 and run_id <= ${index + 1}`);
  }
});

test('a ledger whose table of job files cannot be read is damaged, and no bug', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1);
  {
    using db = openDatabase(job.ledger);
    const page = db.value.prepare(`select rootpage from sqlite_master where name = 'job_file'`);
    const size = Number(db.value.pragma('page_size', { simple: true }));
    const root = Number(page.pluck().get());
    db.value.pragma('wal_checkpoint(truncate)');
    const file = openSync(job.ledger, 'r+');
    writeSync(file, Buffer.alloc(size, 0xff), 0, size, (root - 1) * size);
    closeSync(file);
  }
  expect(() => openNamesToRead(job.ledger)).toThrow(
    expect.objectContaining({ code: 'LEDGER_DAMAGED' }),
  );
});
