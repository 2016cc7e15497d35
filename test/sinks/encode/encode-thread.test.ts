import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { openThread, type Thread } from '../../../src/runtime/thread/thread.ts';
import type { Sink } from '../../../src/sinks/sink.ts';
import { openRunTally, type RunTally, tallyName } from '../../../src/sinks/tally/run-tally.ts';
import { openTextOutput } from '../../../src/sinks/text-output.ts';
import type { RecordSource } from '../../../src/sinks/write-records.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testJob } from '../../support/test-job.ts';
import { completeTestRun, ingestTestRun, listOf, type TestRun } from '../../support/test-run.ts';
import { exportRun } from '../export-run.ts';
import { sampleFacts, sampleNames } from '../sample-run.ts';

const rowCount = 1_111;
const job = testJob({ identify: [{ column: 'website', as: 'fqdn' }] });

/** Companies of all kinds, misses and rubbish, in a ledger on the disk. */
async function settledRun(path: string): Promise<TestRun> {
  using ledger = openLedger(path);
  const sites = Array.from({ length: rowCount }, (_, row) =>
    row % 7 === 3 ? 'rubbish' : `site-${row % 300}.com.au`,
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

interface ExportTo {
  readonly damaged?: Set<number>;
  readonly isThreaded?: boolean;
  readonly thread?: Thread;
  /** Where the thread looks for the ledger. */
  readonly threadLedger?: string;
}

async function exportTo(
  folder: string,
  path: string,
  { run }: TestRun,
  { damaged, isThreaded = true, thread, threadLedger = path }: ExportTo = {},
) {
  using ledger = openLedger(path);
  await using own = isThreaded && !thread ? openThread() : undefined;
  const onDamage = (answerId: number) => {
    if (!damaged) throw new Error('nothing is damaged');
    damaged.add(answerId);
  };
  const stored = {
    ledger: threadLedger,
    run,
    onDamage,
    thread: thread ?? own,
  };
  const source: RecordSource = {
    records: ledger.records.of(run, onDamage),
    rowCount,
    ...(isThreaded && { stored }),
  };
  return await exportRun(source, {
    folder,
    formats: ['csv', 'jsonl'],
    compress: 'none',
    columns: ['company_name', 'status', 'input_*'],
    order: 'list-first',
    delimiter: ';',
    excelSafe: true,
    bom: true,
    facts: sampleFacts,
    names: sampleNames,
    openReport: tallyFile,
  });
}

/** Writes what batches come to, as the report does. */
function tallyFile(folder: string): Sink<RunTally> {
  const tally = openRunTally();
  return {
    ...openTextOutput(join(folder, 'tally.json'), () => JSON.stringify(tally.facts())),
    name: tallyName,
    write: async (later) => tally.merge(later),
  };
}

test('two threads write the same files as one, byte for byte', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const context = await settledRun(path);
  const [one, two] = [join(folder.path, 'one'), join(folder.path, 'two')];
  const alone = await exportTo(one, path, context, { isThreaded: false });
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
  const { counts } = await exportTo(join(folder.path, 'out'), path, context, { damaged });
  expect(damaged.size).toBe(changes);
  expect(counts.failed).toBeGreaterThanOrEqual(changes);
});

test('a thread that is given is used, and still open afterwards', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const context = await settledRun(path);
  await using thread = openThread();
  const alone = await exportTo(join(folder.path, 'one'), path, context, { isThreaded: false });
  for (const name of ['two', 'three']) {
    const together = await exportTo(join(folder.path, name), path, context, { thread });
    expect(together.files).toEqual(alone.files);
  }
});

test('the ledger is one file again when both threads are through', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const context = await settledRun(path);
  await using thread = openThread();
  await exportTo(join(folder.path, 'out'), path, context, { thread });
  expect(readdirSync(folder.path).sort()).toEqual(['ledger.db', 'out']);
});

test('a ledger that breaks in the thread ends the export as it would in one', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const context = await settledRun(path);
  const threadLedger = join(folder.path, 'broken.db');
  const exporting = exportTo(join(folder.path, 'out'), path, context, { threadLedger });
  await expect(exporting).rejects.toThrow('is gone');
  expect(readdirSync(join(folder.path, 'out'))).toEqual([]);
});
