import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { exportRun } from '../../src/export/export-run.ts';
import type { ThreadedRows } from '../../src/export/write-rows.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { openSideThread } from '../../src/runtime/side-thread.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testJob } from '../support/test-job.ts';
import { completeTestRun, ingestTestRun, listOf, type TestRun } from '../support/test-run.ts';
import { sampleFacts } from './sample-records.ts';

const rowCount = 4_321;
const job = testJob({ identify: [{ column: 'website', as: 'fqdn' }] });

/** Companies of all kinds, misses and rubbish, in a ledger on the disk. */
async function settledRun(path: string): Promise<TestRun> {
  using ledger = openLedger(path);
  const sites = Array.from({ length: rowCount }, (_, row) =>
    row % 7 === 3 ? 'rubbish' : `site-${row % 1_000}.com.au`,
  );
  const list = listOf(
    ['website'],
    sites.map((site) => [site]),
  );
  const context = await ingestTestRun(ledger, job, list);
  let calls = 0;
  const send = async () => {
    calls += 1;
    const facts = { status: 200, attempts: 1, durationMs: 1 };
    if (calls % 5 === 0) return { kind: 'miss', body: Buffer.from('{}'), ...facts } as const;
    const company = { id: `c_${calls}`, description: `“${calls}”, a\n"b"`.repeat(calls % 9) };
    const body = Buffer.from(JSON.stringify(company));
    return { kind: 'hit', body, companyId: company.id, ...facts } as const;
  };
  await completeTestRun(context, { send });
  return context;
}

function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  );
}

async function exportTo(
  folder: string,
  path: string,
  { run }: TestRun,
  damaged?: Set<number>,
  isThreaded = true,
) {
  using ledger = openLedger(path);
  await using sideThread = openSideThread();
  const onDamage = (answerId: number) => {
    if (!damaged) throw new Error('nothing is damaged');
    damaged.add(answerId);
  };
  const { id, columns, hasPeople } = run;
  const threaded: ThreadedRows = {
    sideThread,
    ledger: path,
    run: { id, columns, hasPeople },
    rowCount,
    onDamage,
  };
  return await exportRun(ledger.records.of(run, onDamage), {
    folder,
    formats: ['csv', 'jsonl'],
    compress: 'none',
    excelSafe: true,
    bom: true,
    facts: sampleFacts,
    ...(isThreaded && { threaded }),
  });
}

test('two threads write the same files as one, byte for byte', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const context = await settledRun(path);
  const [one, two] = [join(folder.path, 'one'), join(folder.path, 'two')];
  const alone = await exportTo(one, path, context, undefined, false);
  const together = await exportTo(two, path, context);
  expect(filesOf(two)).toEqual(filesOf(one));
  expect({ ...together, folder: '' }).toEqual({ ...alone, folder: '' });
  expect(alone.counts).toMatchObject({ rows: rowCount, matched: expect.any(Number) });
  expect(alone.counts.not_found).toBeGreaterThan(0);
  expect(alone.counts.invalid).toBeGreaterThan(0);
});

test('an answer that was damaged is found by whichever thread reads it', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const context = await settledRun(path);
  const db = new Database(path);
  const { changes } = db
    .prepare(`update answer set checksum = checksum + 1 where outcome = 'hit' and id % 50 = 0`)
    .run();
  db.close();
  const damaged = new Set<number>();
  const { counts } = await exportTo(join(folder.path, 'out'), path, context, damaged);
  expect(damaged.size).toBe(changes);
  expect(counts.failed).toBeGreaterThanOrEqual(changes);
});

test('the ledger is one file again when both threads are through', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const context = await settledRun(path);
  await using sideThread = openSideThread();
  {
    using ledger = openLedger(path);
    const { id, columns, hasPeople } = context.run;
    const onDamage = () => expect.unreachable();
    const threaded = {
      sideThread,
      ledger: path,
      run: { id, columns, hasPeople },
      rowCount,
      onDamage,
    };
    await exportRun(ledger.records.of(context.run, onDamage), {
      ...{ folder: join(folder.path, 'out'), formats: ['csv'], compress: 'none' },
      ...{ excelSafe: false, bom: false, facts: sampleFacts, threaded },
    });
  }
  expect(readdirSync(folder.path).sort()).toEqual(['ledger.db', 'out']);
});

test('a ledger that breaks in the thread ends the export as it would in one', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const context = await settledRun(path);
  const broken = join(folder.path, 'broken.db');
  const { run } = context;
  using ledger = openLedger(path);
  await using sideThread = openSideThread();
  const records = ledger.records.of(run, () => expect.unreachable());
  const { id, columns, hasPeople } = run;
  const threaded = {
    sideThread,
    ledger: broken,
    run: { id, columns, hasPeople },
    rowCount,
    onDamage: () => {},
  };
  const exporting = exportRun(records, {
    ...{ folder: join(folder.path, 'out'), formats: ['csv'], compress: 'none' },
    ...{ excelSafe: false, bom: false, facts: sampleFacts, threaded },
  });
  await expect(exporting).rejects.toThrow('is gone');
  expect(readdirSync(join(folder.path, 'out'))).toEqual([]);
});
