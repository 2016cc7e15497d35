import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { readBucket } from '../results/destinations/s3/sample-upload.ts';
import { startObjectStore, type TestObjectStore } from '../support/object-store.ts';
import { emptyDatabase, type RunningPostgres, testWithPostgres } from '../support/postgres.ts';
import { succeeded } from '../support/run-dossier.ts';
import { openSmallService, type SmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

const list = 'crm_id,website\n1,acme.com.au\n2,unknown.com.au\n3,not a domain\n';
const job = `name: leads
input: {path: leads.csv, key: crm_id}
ledger: ledger.db
output:
  - path: s3://\${BUCKET}/enriched/{date}
    format: [jsonl]
    columns: [row_key, status]
  - path: out
  - postgres: \${WAREHOUSE_URL}
    schema: enrichment
`;

/** A folder with the job, and commands that know the store and the database. */
function openJobFolder(
  service: SmallService,
  store: TestObjectStore,
  postgres: RunningPostgres,
  text = job,
) {
  const env = { ...service.env, ...store.env, BUCKET: store.bucket, WAREHOUSE_URL: postgres.url };
  return openFolder({ 'leads.csv': list, 'job.yaml': text }, env);
}

describe('a result with a folder, a store and a database as destinations', () => {
  let service: SmallService;
  let store: TestObjectStore;
  let postgres: RunningPostgres;
  beforeAll(async () => {
    service = await openSmallService();
    store = await startObjectStore();
    postgres = await emptyDatabase();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  });
  const bucketBelow = async (folder: string) => {
    await using objects = await openObjectStore(store.env);
    return await readBucket(objects, store.bucket, folder);
  };

  testWithPostgres('is written to all of them, and not again if it is the same', async () => {
    using folder = openJobFolder(service, store, postgres);
    await succeeded(folder.dossier('check job.yaml --json'));
    expect(await bucketBelow('')).toEqual({});

    const ran = await succeeded(folder.dossier('run job.yaml --json'));
    const date = new Date().toISOString().slice(0, 10);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      folder: join(folder.path, 'out'),
      destinations: [
        { kind: 'folder', address: join(folder.path, 'out'), failed: null },
        { kind: 's3', address: `s3://${store.bucket}/enriched/${date}`, failed: null },
        { kind: 'postgres', address: expect.stringMatching(/^postgres:.*, schema enrichment$/) },
      ],
    });
    const objects = await bucketBelow('enriched/');
    expect(Object.keys(objects)).toEqual([
      `enriched/${date}/changes.jsonl`,
      `enriched/${date}/companies.jsonl`,
      `enriched/${date}/manifest.json`,
      `enriched/${date}/rejects.jsonl`,
      `enriched/${date}/report.html`,
      'enriched/latest.json',
    ]);
    const [first = ''] = (objects[`enriched/${date}/companies.jsonl`] ?? '').split('\n');
    expect(JSON.parse(first)).toEqual({ row_key: '1', status: expect.any(String) });
    const keys = 'select row_key from enrichment.companies order by row_key';
    expect(await postgres.sql(keys)).toEqual(['1', '2', '3']);

    const again = await folder.dossier('run job.yaml --json');
    const { destinations } = JSON.parse(again.stdout) as {
      destinations: { unchanged: string[] }[];
    };
    expect(destinations.map(({ unchanged }) => unchanged.length)).toEqual([3, 3, 0]);

    const tried = await folder.dossier('run job.yaml --limit 1 --json');
    expect(JSON.parse(tried.stdout)).toMatchObject({
      exitCode: 0,
      folder: join(folder.path, 'out/try'),
      destinations: [
        {},
        {},
        { failed: null, leftOut: expect.stringContaining('it is a trial run') },
      ],
    });
    expect(Object.keys(await bucketBelow('enriched/try/'))).toHaveLength(5);
    expect(await postgres.sql(keys)).toEqual(['1', '2', '3']);
  });

  testWithPostgres(
    'is finished if some destinations fail; the run ends with the worst code, and export repeats it',
    async () => {
      using folder = openJobFolder(service, store, postgres, job.replaceAll('enrich', 'wrong'));
      const wrong = {
        AWS_SECRET_ACCESS_KEY: 'not-the-secret-77',
        WAREHOUSE_URL: 'postgres://loader:hunter22@127.0.0.1:9/warehouse',
      };
      const ran = await folder.dossier('run job.yaml --json', { env: wrong });
      expect(ran.exitCode, ran.stderr).toBe(77);
      expect(JSON.parse(ran.stdout)).toMatchObject({
        reason: 'STORE_REFUSED',
        complete: true,
        rows: { total: 3 },
        destinations: [
          { kind: 'folder', failed: null },
          { kind: 's3', failed: expect.stringContaining('the secret key does not belong') },
          { kind: 'postgres', failed: expect.stringContaining('cannot be reached') },
        ],
      });
      expect(ran.stderr).toContain('STORE_REFUSED: the result is in the ledger, but not at every');
      for (const secret of ['not-the-secret-77', 'hunter22', 'loader', store.secretKey]) {
        expect(ran.stderr + ran.stdout).not.toContain(secret);
      }
      const { complete } = JSON.parse(folder.read('out/manifest.json'));
      expect(complete).toBe(true);
      const status = await folder.dossier('status job.yaml --json');
      expect(JSON.parse(status.stdout)).toMatchObject({
        jobs: [
          {
            runs: [{ run: 'r1', state: 'undelivered' }],
            starts: [{ exitCode: 77, reason: 'STORE_REFUSED' }],
          },
        ],
      });

      const missing = await folder.dossier('export job.yaml --output s3://no-such-bucket/x --json');
      expect(missing.exitCode, missing.stderr).toBe(78);
      expect(missing.stderr).toContain('there is no such bucket');
      expect(JSON.parse(missing.stdout)).toMatchObject({ folder: null, rows: { total: 3 } });
      const exported = await succeeded(folder.dossier('export job.yaml --json'));
      const { destinations } = JSON.parse(exported.stdout) as {
        destinations: { failed: string | null }[];
      };
      expect(destinations.map(({ failed }) => failed)).toEqual([null, null, null]);
      expect(Object.keys(await bucketBelow('wronged/'))).toHaveLength(6);
      expect(await postgres.sql('select run_id from wrongment.runs')).toEqual(['r1']);
    },
  );

  testWithPostgres(
    'brings a destination that was away all missing changes, oldest first, and names pruned ones',
    async () => {
      const late = job.replaceAll('enrich', 'late').replace('/{date}', '');
      const keepRuns = late.replace('ledger.db', '{path: ledger.db, keepRuns: 2}');
      using folder = openJobFolder(service, store, postgres, keepRuns);
      const run = async (rows: string, env: Record<string, string> = {}) => {
        folder.write('leads.csv', list + rows);
        const ran = await folder.dossier('run job.yaml --json', { env });
        return { ...ran, end: JSON.parse(ran.stdout) };
      };
      const away = {
        AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
        AWS_MAX_ATTEMPTS: '1',
        WAREHOUSE_URL: 'postgres://loader@127.0.0.1:9/warehouse',
      };
      const added = `select run || ' ' || row_key from latement.changes order by run, row_key`;
      const inStore = async () => {
        const { 'lateed/changes.jsonl': text = '' } = await bucketBelow('lateed/');
        const lines = text.trim().split('\n').filter(Boolean);
        const changes = lines.map((line) => JSON.parse(line));
        return changes.map(({ run: of, row_key }) => `${of} ${row_key}`);
      };
      const [four, five] = ['4,alpha.com.au\n', '5,beta.com.au\n'];
      await run('');
      const lost = await run(four, away);
      expect([lost.exitCode, lost.end.reason]).toEqual([69, expect.stringMatching(/_DOWN$/)]);
      await run(four + five, away);
      const both = ['r2 4', 'r3 5'];
      // The next start delivers r2 and r3 before anything else: here it cannot read its list.
      const start = await folder.dossier('run job.yaml --input absent.csv --json');
      expect(start.exitCode, start.stderr).toBe(65);
      expect([await postgres.sql(added), await inStore()]).toEqual([both, both]);
      const status = await folder.dossier('status job.yaml --json');
      const { jobs } = JSON.parse(status.stdout) as { jobs: { runs: { state: string }[] }[] };
      expect(jobs[0]?.runs.map(({ state }) => state)).toEqual(['finished', 'finished', 'finished']);
      // Exporting again loses nothing. An older run takes the changes after it away until the next.
      await folder.dossier('export job.yaml');
      expect([await postgres.sql(added), await inStore()]).toEqual([both, both]);
      const older = await folder.dossier('export job.yaml --run r2');
      expect(older.stderr.replaceAll(/\s+/g, ' ')).toContain(
        'out had r3, a later run, and now has r2. To undo: dossier export job.yaml --run r3',
      );
      expect(await postgres.sql(added)).toEqual(['r2 4']);
      await succeeded(folder.dossier('export job.yaml --run r3'));
      expect(await postgres.sql(added)).toEqual(both);

      await run(four, away);
      await run(four + five, away);
      await run(four, away);
      const { end, stderr } = await run(four + five);
      expect(end.notes, stderr).toContain(
        'The result of r6 was undelivered. Now it is at every destination, without a call. Changes lost with pruned runs: r4.',
      );
      // Of the pruned night, rows and money are known.
      const nights = `select run_id || ' ' || counts_rows || ' ' || coalesce(manifest->'changes'->>'missing', '-')
        from latement.runs where run_id > 'r3' order by run_id`;
      expect(await postgres.sql(nights)).toEqual([
        'r4 4 ["r4"]',
        'r5 5 -',
        'r6 4 ["r4"]',
        'r7 5 -',
      ]);
      expect(await postgres.sql('select distinct run from latement.changes order by run')).toEqual([
        'r2',
        'r3',
        'r5',
        'r6',
        'r7',
      ]);
    },
  );

  testWithPostgres(
    'is delivered nowhere while it is held, and everywhere once it is accepted',
    async () => {
      const remote = job.replace('  - path: out\n', '').replaceAll('enrich', 'held');
      const expecting = `${remote}expect: {matchRate: ">= 90%"}\n`;
      using folder = openJobFolder(service, store, postgres, expecting);
      const held = await folder.dossier('run job.yaml --json');
      expect(held.exitCode, held.stderr).toBe(4);
      const leftOut = expect.stringContaining('held');
      expect(JSON.parse(held.stdout)).toMatchObject({
        reason: 'HELD',
        remedy: expect.stringContaining('The new result is only in the ledger'),
        rows: { total: 3, matched: 1 },
        folder: null,
        destinations: [
          { kind: 's3', leftOut },
          { kind: 'postgres', leftOut },
        ],
      });
      expect(held.stderr).toContain('The new result is only in the ledger');
      expect(await bucketBelow('held')).toEqual({});

      const looked = await folder.dossier('export job.yaml --run r1 --output look');
      expect(looked.stderr).toContain(
        'To publish the held result: dossier export job.yaml --accept',
      );
      await succeeded(folder.dossier('export job.yaml --accept --json'));
      expect(Object.keys(await bucketBelow('held'))).toHaveLength(6);
      expect(await postgres.sql('select run_id from heldment.runs')).toEqual(['r1']);
    },
  );
});
