import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { tryLockFile } from '../../../../src/platform/files/lock-file.ts';
import {
  prepareUpload,
  type UploadOptions,
} from '../../../../src/results/destinations/s3/prepare-upload.ts';
import { Manifest } from '../../../../src/results/manifest.ts';
import { matchedRow, rejectedRow } from '../../../core/columns/sample-records.ts';
import { accessDenied, startSharedStore } from '../../../support/object-store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { sourceOf } from '../../sample-run.ts';
import { findLie, intoStore, ofRun, readBucket } from './sample-upload.ts';

const { service, store } = await startSharedStore();
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const rows = [matchedRow(1), rejectedRow(2)];
const small = sourceOf(rows);
/** Its companies are brought in parts. */
const large = sourceOf(Array.from({ length: 1_500 }, (_, index) => matchedRow(index + 1)));

type Changes = Partial<Omit<UploadOptions, 'facts'>> & { facts?: Partial<UploadOptions['facts']> };
const into = (path: string, changes: Changes = {}) =>
  intoStore(service, path, { folder: folder.path, ...changes });
const below = (path: string) => readBucket(store, service.bucket, path);

async function upload(source: typeof small, options: UploadOptions) {
  const done = await (await prepareUpload(source, options)).commit();
  if (typeof done === 'string') throw new Error(done);
  return done;
}

describe('a result in a store', () => {
  test('has its files, report and manifest, and is named as the latest', async () => {
    const createReport = () => () => '<p>report</p>';
    const summary = await upload(small, into('one', { createReport }));
    expect(summary).toMatchObject({ folder: `s3://${service.bucket}/one`, unchanged: [] });
    const objects = await below('one/');
    expect(Object.keys(objects)).toEqual([
      'one/changes.csv',
      'one/companies.csv',
      'one/latest.json',
      'one/manifest.json',
      'one/rejects.csv',
      'one/report.html',
    ]);
    const manifest = Manifest.parse(JSON.parse(objects['one/manifest.json'] ?? ''));
    expect(manifest).toMatchObject({ run: 'r7', rows: { total: 2 } });
    expect(JSON.parse(objects['one/latest.json'] ?? '')).toMatchObject({
      run: { id: 'r7' },
      job: 'lead-list',
      manifest: `s3://${service.bucket}/one/manifest.json`,
      files: [{ table: 'companies', address: `s3://${service.bucket}/one/companies.csv` }, {}, {}],
      counts: { rows: 2 },
    });
    expect(await findLie(store, service.bucket, 'one/')).toBeUndefined();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('waits in a folder beside the ledger: what a killed process left goes, what another uses stays', async () => {
    const left = join(folder.path, 'ledger.db-upload-1');
    mkdirSync(left);
    writeFileSync(join(left, 'companies.csv'), 'half');
    {
      using _used = tryLockFile(`${left}.lock`);
      await upload(small, into('beside'));
      expect(readdirSync(left)).toEqual(['companies.csv']);
    }
    await upload(small, into('beside', { facts: ofRun(8) }));
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('stays unchanged until the new one is shown, also if that is aborted', async () => {
    await upload(small, into('calm'));
    const before = await below('calm/');
    const prepared = await prepareUpload(large, into('calm', { facts: ofRun(8) }));
    expect(await below('calm/')).toEqual(before);
    expect(await service.unfinishedUploads()).not.toEqual([]);
    await prepared.abort();
    expect(await below('calm/')).toEqual(before);
    expect(await service.unfinishedUploads()).toEqual([]);
  });

  test('keeps unchanged files, and loses those that are no longer written', async () => {
    const people = sourceOf(rows, []);
    await upload(people, into('nights'));
    service.requests.length = 0;
    const again = await upload(small, into('nights', { facts: ofRun(8) }));
    expect(again.unchanged).toEqual(['companies.csv', 'rejects.csv', 'changes.csv']);
    const written = service.requests.filter(({ method }) => method === 'PUT');
    expect(new Set(written.map(({ key }) => key))).toEqual(
      new Set(['nights/manifest.json', 'nights/latest.json']),
    );
    expect(Object.keys(await below('nights/'))).not.toContain('nights/people.csv');
  });

  test('stays if an older run would replace it, which is refused by name', async () => {
    await upload(small, into('newer', { facts: ofRun(9) }));
    const before = await below('newer/');
    const older = upload(large, into('newer', { facts: ofRun(8) }));
    await expect(older).rejects.toThrow(
      /^r8 was not written to .+, because r9 \(started .+\) is there and is later$/,
    );
    expect(await below('newer/')).toEqual(before);
  });
});

describe('a result that is not published', () => {
  test('goes aside, and is removed when a later one is published', async () => {
    await upload(small, into('aside'));
    const incomplete = { complete: false, ...ofRun(8) };
    await upload(small, into('aside', { facts: incomplete }));
    expect(Object.keys(await below('aside/held-'))).toEqual([
      'aside/held-r8/changes.csv',
      'aside/held-r8/companies.csv',
      'aside/held-r8/manifest.json',
      'aside/held-r8/rejects.csv',
    ]);
    await store.put({ bucket: service.bucket, key: 'aside/held-r6/mine.txt' }, Buffer.from('mine'));
    await upload(small, into('aside', { facts: ofRun(9) }));
    const left = Object.keys(await below('aside/held-'));
    expect(left).toEqual(['aside/held-r6/mine.txt']);
  });
});

describe('of two processes that write to one destination', () => {
  test('the second is refused, and the files of the first stay', async () => {
    await upload(small, into('both'));
    const first = await prepareUpload(small, into('both', { facts: ofRun(8) }));
    const second = await prepareUpload(
      sourceOf(rows.slice(0, 1)),
      into('both', { facts: ofRun(9) }),
    );
    await first.commit();
    const written = await below('both/');
    await expect(second.commit()).rejects.toMatchObject({ code: 'OUTPUT_BUSY' });
    expect(await below('both/')).toEqual(written);
    expect(await service.unfinishedUploads()).toEqual([]);
  });

  test('no manifest lists files that the other has replaced', async () => {
    const first = await prepareUpload(small, into('fresh', { facts: ofRun(8) }));
    const second = await prepareUpload(
      sourceOf(rows.slice(0, 1)),
      into('fresh', { facts: ofRun(9) }),
    );
    await first.commit();
    await expect(second.commit()).rejects.toMatchObject({ code: 'OUTPUT_BUSY' });
    expect(Object.keys(await below('fresh/'))).not.toContain('fresh/manifest.json');
    expect(await findLie(store, service.bucket, 'fresh/')).toBeUndefined();
    await upload(small, into('fresh', { facts: ofRun(9) }));
    expect(await findLie(store, service.bucket, 'fresh/')).toBeUndefined();
  });
});

describe('if the store refuses', () => {
  test('in the middle, nothing is shown as whole, no part stays, and the next upload fixes it', async () => {
    await upload(small, into('denied'));
    // The first object is shown, the second is not.
    let shown = 0;
    service.misbehave = ({ method, key }) => {
      if (method !== 'PUT' || !key.endsWith('.csv')) return undefined;
      shown += 1;
      return shown > 1 ? accessDenied : undefined;
    };
    const other = sourceOf([...rows, matchedRow(3), rejectedRow(4)]);
    const options = into('denied', { facts: ofRun(8) });
    const failing = upload(other, options);
    await expect(failing).rejects.toMatchObject({ code: 'STORE_REFUSED' });
    service.misbehave = () => undefined;
    expect(Object.keys(await below('denied/'))).not.toContain('denied/manifest.json');
    expect(await findLie(store, service.bucket, 'denied/')).toBeUndefined();
    expect(await service.unfinishedUploads()).toEqual([]);
    expect((await upload(other, options)).unchanged).not.toEqual([]);
    expect(await findLie(store, service.bucket, 'denied/')).toBeUndefined();
  });
});
