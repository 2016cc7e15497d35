import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { DossierError } from '../../../src/core/errors.ts';
import { openObjectStore } from '../../../src/platform/objects/open-object-store.ts';
import { prepareUpload } from '../../../src/results/destinations/s3/prepare-upload.ts';
import { matchedRow } from '../../core/columns/sample-records.ts';
import { findLie, intoStore, ofRun } from '../../results/destinations/s3/sample-upload.ts';
import { sourceOf } from '../../results/sample-run.ts';
import {
  accessDenied,
  type Misdeed,
  slowDown,
  startObjectStore,
} from '../../support/object-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { faultCase } from '../support/fault-case.ts';
import { isLong } from '../support/seed.ts';

const misdeeds: readonly Misdeed[] = [
  slowDown,
  accessDenied,
  { status: 500, code: 'InternalError' },
  { status: 404, code: 'NoSuchBucket' },
  { status: 409, code: 'ConditionalRequestConflict' },
  { cut: 'request' },
  { cut: 'answer' },
  { cut: 'body' },
  { delayMs: 50 },
];

faultCase(
  'a store that misbehaves at any request of an upload shows the last result, the new one, or none, and keeps no part of one that has failed',
  async (seed) => {
    await using service = await startObjectStore();
    await using store = await openObjectStore(service.env);
    using folder = temporaryFolder();
    // Enough rows that the companies are brought in parts.
    const rows = Array.from({ length: 1_200 }, (_, index) => matchedRow(index + 1));
    const upload = async (run: number) => {
      const source = sourceOf(rows.slice(run));
      const env = { ...service.env, AWS_MAX_ATTEMPTS: '2' };
      const options = intoStore(service, 'out', { folder: folder.path, env });
      const facts = { ...options.facts, ...ofRun(run) };
      return await (await prepareUpload(source, { ...options, facts })).commit();
    };
    await upload(1);
    const uploads = isLong ? 4 : 2;
    for (let run = 2; run < 2 + uploads; run += 1) {
      const from = service.requests.length + seed.random(20);
      const upTo = from + 1 + seed.random(4);
      const misdeed = seed.pick(misdeeds);
      service.misbehave = ({ method, query }) => {
        const number = service.requests.length;
        // A store that refuses to remove parts keeps them, and an upload that begins unheard is nobody's.
        const isAbort = method === 'DELETE' && query.has('uploadId');
        if (isAbort || (query.has('uploads') && 'cut' in misdeed)) return undefined;
        return number > from && number <= upTo ? misdeed : undefined;
      };
      const failure = await upload(run).then(
        () => undefined,
        (error: unknown) => error,
      );
      service.misbehave = () => undefined;
      const during = `${JSON.stringify(misdeed)} at ${from} to ${upTo}: ${failure}`;
      expect(failure === undefined || failure instanceof DossierError, during).toBe(true);
      expect(await findLie(store, service.bucket, 'out/'), during).toBeUndefined();
      expect(await service.unfinishedUploads(), during).toEqual([]);
      expect(readdirSync(folder.path), during).toEqual([]);
    }
    await upload(2 + uploads);
    expect(await findLie(store, service.bucket, 'out/')).toBeUndefined();
  },
  { long: 60 },
);
